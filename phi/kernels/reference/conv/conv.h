// SPDX-License-Identifier: Apache-2.0
// Reference kernels of conv2d, depthwise_conv2d and their gradients, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_H_

#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d.args.gen.h"
#include "phi/core/signatures/conv2d_grad.args.gen.h"
#include "phi/kernels/reference/window.h"

namespace switchyard::phi::kernels::reference {

// Every product of a convolution: calls visit(out's position, input's,
// filter's), each in row-major order.
class ConvTerms {
 public:
  ConvTerms(const DenseTensor& input, const DenseTensor& filter,
            const DenseTensor& out, absl::Span<const int> strides,
            absl::Span<const int> paddings, std::string_view algorithm,
            absl::Span<const int> dilations, int groups,
            std::string_view data_format)
      : input_(input, data_format),
        out_(out, data_format),
        filter_(filter),
        groups_(groups) {
    for (int axis = 0; axis < 2; ++axis) {
      stride_[axis] = strides[axis];
      dilation_[axis] =
          algorithm == "SAME" || dilations.empty() ? 1 : dilations[axis];
      before_[axis] =
          PaddingBefore(paddings, algorithm, axis, input_.extent(axis),
                        filter.extent(2 + axis), strides[axis]);
    }
  }

  template <typename Visit>
  void ForEach(const Visit& visit) const {
    const int64_t out_channels = out_.channels();
    for (int64_t n = 0; n < out_.batch(); ++n) {
      for (int64_t o = 0; o < out_channels; ++o) {
        for (int64_t h = 0; h < out_.extent(0); ++h) {
          for (int64_t w = 0; w < out_.extent(1); ++w) {
            VisitWindow(n, o, h, w, visit);
          }
        }
      }
    }
  }

 private:
  template <typename Visit>
  void VisitWindow(int64_t n, int64_t o, int64_t h, int64_t w,
                   const Visit& visit) const {
    const int64_t width = filter_.extent(1);
    const int64_t height = filter_.extent(2), row = filter_.extent(3);
    const int64_t first = o / (out_.channels() / groups_) * width;
    const int64_t to = out_.position(n, o, h, w);
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t kh = 0; kh < height; ++kh) {
        for (int64_t kw = 0; kw < row; ++kw) {
          const int64_t y = h * stride_[0] - before_[0] + kh * dilation_[0];
          const int64_t x = w * stride_[1] - before_[1] + kw * dilation_[1];
          if (!input_.inside(y, x)) continue;
          visit(to, input_.position(n, first + c, y, x),
                ((o * width + c) * height + kh) * row + kw);
        }
      }
    }
  }

  Image input_, out_;
  const DenseTensor& filter_;
  int64_t groups_;
  int64_t stride_[2], dilation_[2], before_[2];
};

template <typename T>
void Store(const std::vector<double>& sums, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
}

template <typename S>
inline constexpr auto kConv2dSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv2dKernel(const ReferenceContext&, const Conv2dArgs& args) {
  const ConvTerms terms(args.input, args.filter, *args.out, args.strides,
                        args.paddings, args.padding_algorithm, args.dilations,
                        args.groups, args.data_format);
  const auto inputs = Widened<T>(args.input), filters = Widened<T>(args.filter);
  std::vector<double> sums(args.out->numel());
  terms.ForEach([&](int64_t o, int64_t i, int64_t f) {
    sums[o] += inputs[i] * filters[f];
  });
  Store<T>(sums, args.out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDepthwiseConv2dSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto DepthwiseConv2dKernel = &Conv2dKernel<T>;

template <typename S>
inline constexpr auto kConv2dGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv2dGradKernel(const ReferenceContext&,
                              const Conv2dGradArgs& args) {
  const ConvTerms terms(args.input, args.filter, args.out_grad, args.strides,
                        args.paddings, args.padding_algorithm, args.dilations,
                        args.groups, args.data_format);
  const auto inputs = Widened<T>(args.input), filters = Widened<T>(args.filter);
  const auto grads = Widened<T>(args.out_grad);
  std::vector<double> input_sums(args.input.numel()),
      filter_sums(args.filter.numel());
  terms.ForEach([&](int64_t o, int64_t i, int64_t f) {
    input_sums[i] += grads[o] * filters[f];
    filter_sums[f] += grads[o] * inputs[i];
  });
  if (args.input_grad != nullptr) Store<T>(input_sums, args.input_grad);
  if (args.filter_grad != nullptr) Store<T>(filter_sums, args.filter_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDepthwiseConv2dGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto DepthwiseConv2dGradKernel = &Conv2dGradKernel<T>;

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_H_
