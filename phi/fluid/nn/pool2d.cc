// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of pool2d and its gradient on the CPU, one window
// at a time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/pool2d.gen.h"
#include "phi/core/signatures/pool2d_grad.gen.h"
#include "phi/fluid/nn/image.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/pool2d.gen.h"
#include "phi/legacy/pool2d_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The elements [begin, end) along one axis that a window has, and how many it
// has with padding.
struct WindowSpan {
  int64_t begin, end, padded;
};

// The windows of a pooling.
struct Pooling {
  Image input, output;
  bool largest, exclusive, adaptive, global;
  int64_t window[2], stride[2], before[2];

  static absl::StatusOr<Pooling> Of(const ExecutionContext& context,
                                    const DenseTensor& output) {
    SY_ASSIGN_OR_RETURN(const auto format,
                        context.Attr<std::string_view>("data_format"));
    SY_ASSIGN_OR_RETURN(const auto algorithm,
                        context.Attr<std::string_view>("padding_algorithm"));
    SY_ASSIGN_OR_RETURN(const auto type,
                        context.Attr<std::string_view>("pooling_type"));
    SY_ASSIGN_OR_RETURN(const auto ksize, context.Attr<IntArray>("ksize"));
    SY_ASSIGN_OR_RETURN(const auto strides,
                        context.Attr<absl::Span<const int>>("strides"));
    SY_ASSIGN_OR_RETURN(const auto paddings,
                        context.Attr<absl::Span<const int>>("paddings"));
    SY_ASSIGN_OR_RETURN(const bool exclusive, context.Attr<bool>("exclusive"));
    SY_ASSIGN_OR_RETURN(const bool adaptive, context.Attr<bool>("adaptive"));
    SY_ASSIGN_OR_RETURN(const bool global,
                        context.Attr<bool>("global_pooling"));
    Pooling pooling = {Image(*context.Input("X"), format),
                       Image(output, format),
                       type == "max",
                       exclusive || adaptive || global,
                       adaptive,
                       global,
                       {ksize[0], ksize[1]},
                       {strides[0], strides[1]},
                       {}};
    if (global || adaptive) return pooling;
    for (int axis = 0; axis < 2; ++axis) {
      pooling.before[axis] =
          PaddingAt(paddings, algorithm, axis, pooling.extent(axis),
                    pooling.window[axis], pooling.stride[axis]);
    }
    return pooling;
  }

  int64_t extent(int axis) const {
    return axis == 0 ? input.height : input.width;
  }

  // Window `o` along an axis.
  WindowSpan Span(int axis, int64_t o) const {
    const int64_t all = extent(axis);
    if (global) return {0, all, all};
    if (adaptive) {
      const int64_t windows = axis == 0 ? output.height : output.width;
      const int64_t begin = o * all / windows;
      const int64_t end = ((o + 1) * all + windows - 1) / windows;
      return {begin, end, end - begin};
    }
    // A window reaches as far after the last element as the padding before the
    // first is wide.
    const int64_t begin = o * stride[axis] - before[axis];
    const int64_t end = std::min(begin + window[axis], all + before[axis]);
    return {std::max<int64_t>(begin, 0), std::min(end, all), end - begin};
  }

  static int64_t Count(const WindowSpan& h, const WindowSpan& w, bool padded) {
    return padded ? h.padded * w.padded : (h.end - h.begin) * (w.end - w.begin);
  }

  // Calls visit(offset in the output, n, c, rows, columns) for each window.
  template <typename Visit>
  void ForEachWindow(const Visit& visit) const {
    for (int64_t n = 0; n < output.batch; ++n) {
      for (int64_t c = 0; c < output.channels; ++c) {
        for (int64_t i = 0; i < output.height * output.width; ++i) {
          const int64_t h = i / output.width, w = i % output.width;
          visit(output.at(n, c, h, w), n, c, Span(0, h), Span(1, w));
        }
      }
    }
  }
  // Calls visit(offset in the input) for each element of a window.
  template <typename Visit>
  void ForEachElement(int64_t n, int64_t c, const WindowSpan& rows,
                      const WindowSpan& columns, const Visit& visit) const {
    for (int64_t h = rows.begin; h < rows.end; ++h) {
      for (int64_t w = columns.begin; w < columns.end; ++w) {
        visit(input.at(n, c, h, w));
      }
    }
  }
};

// Out: the largest element or the mean of each window of X.
template <typename T>
class Pool2dKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const Pooling pooling, Pooling::Of(context, *out));
    const T* x = context.Input("X")->data<T>();
    T* to = out->template mutable_data<T>();
    pooling.ForEachWindow([&](int64_t at, int64_t n, int64_t c,
                              const WindowSpan& h, const WindowSpan& w) {
      double sum = 0;
      double largest = -std::numeric_limits<double>::infinity();
      pooling.ForEachElement(n, c, h, w, [&](int64_t i) {
        const double v = x[i];
        sum += v;
        if (v > largest || std::isnan(v)) largest = v;
      });
      const auto count =
          static_cast<double>(Pooling::Count(h, w, !pooling.exclusive));
      to[at] = static_cast<T>(pooling.largest ? largest : sum / count);
    });
    return absl::OkStatus();
  }
};

// X@GRAD: Out@GRAD goes to the first of the largest elements of a window, to
// the last NaN where they are NaN, or is shared among all.
template <typename T>
class Pool2dGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const Pooling pooling, Pooling::Of(context, grad));
    const T* x = context.Input("X")->data<T>();
    const T* out = context.Input("Out")->data<T>();
    DenseTensor* x_grad = context.Output("X@GRAD");
    std::vector<double> sums(x_grad->numel());
    pooling.ForEachWindow([&](int64_t at, int64_t n, int64_t c,
                              const WindowSpan& h, const WindowSpan& w) {
      const double g = grad.data<T>()[at];
      if (pooling.largest) {
        int64_t taker = -1;
        const bool nan = std::isnan(out[at]);
        pooling.ForEachElement(n, c, h, w, [&](int64_t i) {
          if (nan ? std::isnan(x[i]) : taker < 0 && x[i] == out[at]) taker = i;
        });
        if (taker >= 0) sums[taker] += g;
        return;
      }
      const auto count =
          static_cast<double>(Pooling::Count(h, w, !pooling.exclusive));
      pooling.ForEachElement(n, c, h, w,
                             [&](int64_t i) { sums[i] += g / count; });
    });
    T* to = x_grad->template mutable_data<T>();
    for (const double sum : sums) *to++ = static_cast<T>(sum);
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kPool2dSpec = KernelSpec<Pool2dSignature>();
SY_REGISTER_FLUID_KERNEL(pool2d, cpu, fluid::Pool2dKernel, legacy_pool2d,
                         kPool2dSpec, float32, float64);
constexpr auto kPool2dGradSpec = KernelSpec<Pool2dGradSignature>();
SY_REGISTER_FLUID_KERNEL(pool2d_grad, cpu, fluid::Pool2dGradKernel,
                         legacy_pool2d_grad, kPool2dGradSpec, float32, float64);

}  // namespace switchyard::phi
