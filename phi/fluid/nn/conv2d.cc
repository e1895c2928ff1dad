// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of conv2d and its gradient on the CPU: sums of
// products in double, one window at a time.
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/conv2d.gen.h"
#include "phi/core/signatures/conv2d_grad.gen.h"
#include "phi/fluid/nn/image.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/conv2d.gen.h"
#include "phi/legacy/conv2d_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The geometry of a convolution.
struct Convolution {
  Image input, output;
  int64_t filters_per_group, width, kernel_h, kernel_w;
  int64_t stride[2], dilation[2], before[2];

  static absl::StatusOr<Convolution> Of(const ExecutionContext& context,
                                        const DenseTensor& output) {
    SY_ASSIGN_OR_RETURN(const auto format,
                        context.Attr<std::string_view>("data_format"));
    SY_ASSIGN_OR_RETURN(const auto algorithm,
                        context.Attr<std::string_view>("padding_algorithm"));
    SY_ASSIGN_OR_RETURN(const auto strides,
                        context.Attr<absl::Span<const int>>("strides"));
    SY_ASSIGN_OR_RETURN(const auto paddings,
                        context.Attr<absl::Span<const int>>("paddings"));
    SY_ASSIGN_OR_RETURN(const auto dilations,
                        context.Attr<absl::Span<const int>>("dilations"));
    SY_ASSIGN_OR_RETURN(const int groups, context.Attr<int>("groups"));
    const DenseTensor& filter = *context.Input("Filter");
    Convolution conv = {Image(*context.Input("Input"), format),
                        Image(output, format),
                        filter.extent(0) / groups,
                        filter.extent(1),
                        filter.extent(2),
                        filter.extent(3),
                        {strides[0], strides[1]},
                        {},
                        {}};
    const int64_t extents[] = {conv.input.height, conv.input.width};
    for (int axis = 0; axis < 2; ++axis) {
      const bool dense = algorithm == "SAME" || dilations.empty();
      conv.dilation[axis] = dense ? 1 : dilations[axis];
      conv.before[axis] = PaddingAt(paddings, algorithm, axis, extents[axis],
                                    filter.extent(2 + axis), conv.stride[axis]);
    }
    return conv;
  }

  // Calls visit(offset in the input, offset in the filter) for each product of
  // output (n, o, h, w).
  template <typename Visit>
  void Window(int64_t n, int64_t o, int64_t h, int64_t w,
              const Visit& visit) const {
    const int64_t first = o / filters_per_group * width;
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t i = 0; i < kernel_h; ++i) {
        const int64_t y = h * stride[0] - before[0] + i * dilation[0];
        if (y < 0 || y >= input.height) continue;
        for (int64_t j = 0; j < kernel_w; ++j) {
          const int64_t x = w * stride[1] - before[1] + j * dilation[1];
          if (x < 0 || x >= input.width) continue;
          visit(input.at(n, first + c, y, x),
                ((o * width + c) * kernel_h + i) * kernel_w + j);
        }
      }
    }
  }
};

// Output: the cross-correlation of Input and Filter.
template <typename T>
class Conv2dKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    DenseTensor* out = context.Output("Output");
    SY_ASSIGN_OR_RETURN(const Convolution conv, Convolution::Of(context, *out));
    const T* x = context.Input("Input")->data<T>();
    const T* f = context.Input("Filter")->data<T>();
    T* to = out->template mutable_data<T>();
    const Image& o = conv.output;
    ParallelFor(0, o.batch * o.channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t n = plane / o.channels, c = plane % o.channels;
        for (int64_t i = 0; i < o.height * o.width; ++i) {
          const int64_t h = i / o.width, w = i % o.width;
          double sum = 0;
          conv.Window(n, c, h, w, [&](int64_t in, int64_t weight) {
            sum += double{x[in]} * double{f[weight]};
          });
          to[o.at(n, c, h, w)] = static_cast<T>(sum);
        }
      }
    });
    return absl::OkStatus();
  }
};

// Input@GRAD and Filter@GRAD: each product's share of Output@GRAD.
template <typename T>
class Conv2dGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& grad = *context.Input("Output@GRAD");
    SY_ASSIGN_OR_RETURN(const Convolution conv, Convolution::Of(context, grad));
    const DenseTensor& input = *context.Input("Input");
    const DenseTensor& filter = *context.Input("Filter");
    std::vector<double> to_input(input.numel()), to_filter(filter.numel());
    const Image& o = conv.output;
    for (int64_t n = 0; n < o.batch; ++n) {
      for (int64_t c = 0; c < o.channels; ++c) {
        for (int64_t i = 0; i < o.height * o.width; ++i) {
          const int64_t h = i / o.width, w = i % o.width;
          const double g = grad.data<T>()[o.at(n, c, h, w)];
          conv.Window(n, c, h, w, [&](int64_t in, int64_t weight) {
            to_input[in] += g * double{filter.data<T>()[weight]};
            to_filter[weight] += g * double{input.data<T>()[in]};
          });
        }
      }
    }
    Store(to_input, context.Output("Input@GRAD"));
    Store(to_filter, context.Output("Filter@GRAD"));
    return absl::OkStatus();
  }

 private:
  static void Store(const std::vector<double>& sums, DenseTensor* out) {
    if (out == nullptr) return;
    T* to = out->mutable_data<T>();
    for (const double sum : sums) *to++ = static_cast<T>(sum);
  }
};

}  // namespace fluid

constexpr auto kConv2dSpec = KernelSpec<Conv2dSignature>();
SY_REGISTER_FLUID_KERNEL(conv2d, cpu, fluid::Conv2dKernel, legacy_conv2d,
                         kConv2dSpec, float32, float64);
constexpr auto kConv2dGradSpec = KernelSpec<Conv2dGradSignature>();
SY_REGISTER_FLUID_KERNEL(conv2d_grad, cpu, fluid::Conv2dGradKernel,
                         legacy_conv2d_grad, kConv2dGradSpec, float32, float64);

}  // namespace switchyard::phi
