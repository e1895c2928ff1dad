// SPDX-License-Identifier: Apache-2.0
// Reference kernels of pool2d and its gradients, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_POOLING_POOLING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_POOLING_POOLING_H_

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/pool2d.args.gen.h"
#include "phi/core/signatures/pool2d_double_grad.args.gen.h"
#include "phi/core/signatures/pool2d_grad.args.gen.h"
#include "phi/kernels/reference/window.h"

namespace switchyard::phi::kernels::reference {

// One window along one axis: elements [begin, end) of x, and its extent with
// the padding that a mean may count.
struct PoolSpan {
  int64_t begin, end, extent;
};

// The windows of a pooling, computed one at a time.
class PoolWindows {
 public:
  PoolWindows(const DenseTensor& x, const DenseTensor& out,
              absl::Span<const int64_t> kernel_size,
              absl::Span<const int> strides, absl::Span<const int> paddings,
              bool exclusive, std::string_view data_format,
              std::string_view pooling_type, bool global_pooling, bool adaptive,
              std::string_view algorithm)
      : x_(x, data_format),
        out_(out, data_format),
        kernel_size_(kernel_size),
        strides_(strides),
        paddings_(paddings),
        algorithm_(algorithm),
        max_(pooling_type == "max"),
        exclusive_(exclusive || adaptive || global_pooling),
        global_(global_pooling),
        adaptive_(adaptive) {}

  bool max() const { return max_; }
  const Image& x() const { return x_; }
  const Image& out() const { return out_; }

  PoolSpan Along(int axis, int64_t o) const {
    const int64_t extent = x_.extent(axis), outputs = out_.extent(axis);
    if (global_) return {0, extent, extent};
    if (adaptive_) {
      // floor(o n / m) to ceil((o + 1) n / m).
      const int64_t begin = o * extent / outputs;
      const int64_t end = ((o + 1) * extent + outputs - 1) / outputs;
      return {begin, end, end - begin};
    }
    const int64_t kernel = kernel_size_[axis];
    const int64_t before = PaddingBefore(paddings_, algorithm_, axis, extent,
                                         kernel, strides_[axis]);
    const int64_t begin = o * strides_[axis] - before;
    // Padding after is counted only as far as there is padding before.
    const int64_t end = std::min(begin + kernel, extent + before);
    return {std::max<int64_t>(begin, 0), std::min(end, extent), end - begin};
  }
  double Count(const PoolSpan& h, const PoolSpan& w) const {
    const double inside = static_cast<double>(h.end - h.begin) *
                          static_cast<double>(w.end - w.begin);
    return exclusive_ ? inside : static_cast<double>(h.extent * w.extent);
  }

  // The position in x of the element of a window that takes the gradient: the
  // first that equals the largest one, or the last NaN if that is NaN; -1 if
  // there is none.
  template <typename T>
  int64_t PositionOfLargest(int64_t n, int64_t c, PoolSpan hs, PoolSpan ws,
                            double largest) const {
    int64_t taker = -1;
    for (int64_t h = hs.begin; h < hs.end; ++h) {
      for (int64_t w = ws.begin; w < ws.end; ++w) {
        const double v = x_.at<T>(n, c, h, w);
        const bool takes =
            std::isnan(largest) ? std::isnan(v) : v == largest && taker < 0;
        if (takes) taker = x_.position(n, c, h, w);
      }
    }
    return taker;
  }

  // Calls visit(n, c, oh, ow, h span, w span) for each element of out.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (int64_t n = 0; n < out_.batch(); ++n) {
      for (int64_t c = 0; c < out_.channels(); ++c) {
        for (int64_t oh = 0; oh < out_.extent(0); ++oh) {
          for (int64_t ow = 0; ow < out_.extent(1); ++ow) {
            visit(n, c, oh, ow, Along(0, oh), Along(1, ow));
          }
        }
      }
    }
  }

 private:
  Image x_, out_;
  absl::Span<const int64_t> kernel_size_;
  absl::Span<const int> strides_, paddings_;
  std::string_view algorithm_;
  bool max_, exclusive_, global_, adaptive_;
};

template <typename S>
inline constexpr auto kPool2dSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Pool2dKernel(const ReferenceContext&, const Pool2dArgs& args) {
  const PoolWindows windows(args.x, *args.out, args.kernel_size, args.strides,
                            args.paddings, args.exclusive, args.data_format,
                            args.pooling_type, args.global_pooling,
                            args.adaptive, args.padding_algorithm);
  windows.ForEach([&](int64_t n, int64_t c, int64_t oh, int64_t ow, PoolSpan hs,
                      PoolSpan ws) {
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0;
    for (int64_t h = hs.begin; h < hs.end; ++h) {
      for (int64_t w = ws.begin; w < ws.end; ++w) {
        const double v = windows.x().at<T>(n, c, h, w);
        // Once it is NaN it stays NaN.
        if (v > largest || std::isnan(v)) largest = v;
        sum += v;
      }
    }
    double result = windows.max() ? largest : sum / windows.Count(hs, ws);
    if (std::is_integral_v<T>) result = std::nearbyint(result);
    args.out->mutable_data<T>()[windows.out().position(n, c, oh, ow)] =
        static_cast<T>(result);
  });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPool2dGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Pool2dGradKernel(const ReferenceContext&,
                              const Pool2dGradArgs& args) {
  const PoolWindows windows(args.x, args.out, args.kernel_size, args.strides,
                            args.paddings, args.exclusive, args.data_format,
                            args.pooling_type, args.global_pooling,
                            args.adaptive, args.padding_algorithm);
  const Image grads(args.out_grad, args.data_format);
  std::vector<double> sums(args.x.numel());
  windows.ForEach([&](int64_t n, int64_t c, int64_t oh, int64_t ow, PoolSpan hs,
                      PoolSpan ws) {
    const double g = grads.at<T>(n, c, oh, ow);
    if (windows.max()) {
      const int64_t taker = windows.PositionOfLargest<T>(
          n, c, hs, ws, windows.out().at<T>(n, c, oh, ow));
      if (taker >= 0) sums[taker] += g;
      return;
    }
    for (int64_t h = hs.begin; h < hs.end; ++h) {
      for (int64_t w = ws.begin; w < ws.end; ++w) {
        sums[windows.x().position(n, c, h, w)] += g / windows.Count(hs, ws);
      }
    }
  });
  for (int64_t i = 0; i < args.x_grad->numel(); ++i) {
    args.x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPool2dDoubleGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Pool2dDoubleGradKernel(const ReferenceContext&,
                                    const Pool2dDoubleGradArgs& args) {
  const PoolWindows windows(args.x, args.out, args.kernel_size, args.strides,
                            args.paddings, args.exclusive, args.data_format,
                            args.pooling_type, args.global_pooling,
                            args.adaptive, args.padding_algorithm);
  const Image tangent(args.x_grad_grad, args.data_format);
  windows.ForEach([&](int64_t n, int64_t c, int64_t oh, int64_t ow, PoolSpan hs,
                      PoolSpan ws) {
    const int64_t taker =
        windows.max() ? windows.PositionOfLargest<T>(
                            n, c, hs, ws, windows.out().at<T>(n, c, oh, ow))
                      : -1;
    double sum = 0;
    for (int64_t h = hs.begin; h < hs.end; ++h) {
      for (int64_t w = ws.begin; w < ws.end; ++w) {
        const double v = tangent.at<T>(n, c, h, w);
        if (!windows.max()) {
          sum += v / windows.Count(hs, ws);
        } else if (windows.x().position(n, c, h, w) == taker) {
          sum = v;
        }
      }
    }
    args.out_grad_grad
        ->mutable_data<T>()[windows.out().position(n, c, oh, ow)] =
        static_cast<T>(sum);
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_POOLING_POOLING_H_
