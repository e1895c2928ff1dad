// SPDX-License-Identifier: Apache-2.0
// pool2d and its gradients on the CPU, in either format. Each plane (an image's
// channel) is one thread's, so the number of threads does not change the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/pool_windows.h"

namespace switchyard::phi::kernels {

// Where the elements of a plane lie: `row` from one row to the next.
struct PlaneStrides {
  int64_t row, column;
};

// An image tensor as planes, numbered n * channels + c.
class Planes {
 public:
  Planes(const DenseTensor& x, std::string_view data_format)
      : last_(data_format == "NHWC"),
        channels_(x.extent(last_ ? 3 : 1)),
        count_(x.extent(0) * channels_),
        batch_stride_(x.strides()[0]),
        channel_stride_(x.strides()[last_ ? 3 : 1]),
        strides_{x.strides()[last_ ? 1 : 2], x.strides()[last_ ? 2 : 3]},
        extents_{x.extent(last_ ? 1 : 2), x.extent(last_ ? 2 : 3)} {}

  int64_t count() const { return count_; }
  int64_t extent(int axis) const { return extents_[axis]; }
  PlaneStrides strides() const { return strides_; }
  int64_t begin(int64_t plane) const {
    return plane / channels_ * batch_stride_ +
           plane % channels_ * channel_stride_;
  }

 private:
  bool last_;
  int64_t channels_, count_, batch_stride_, channel_stride_;
  PlaneStrides strides_;
  int64_t extents_[2];
};

// All that the three kernels know of a call.
struct PoolCall {
  Planes x, out;
  PoolWindows windows;
  bool max;

  // Largest elements of tiles of 2 x 2 in rows of adjacent elements.
  bool tiles() const {
    return max && windows.tiles && x.strides().column == 1 &&
           out.strides().column == 1;
  }
  // Planes a chunk.
  int64_t grain() const {
    const int64_t pixels = std::max<int64_t>(1, x.extent(0) * x.extent(1));
    return std::max<int64_t>(1, (1 << 14) / pixels);
  }
};

// Of checked attributes.
inline absl::StatusOr<PoolCall> PoolCallOf(
    const DenseTensor& x, const DenseTensor& out,
    absl::Span<const int64_t> kernel_size, const WindowAttrs& attrs,
    bool ceil_mode, bool exclusive, std::string_view data_format,
    std::string_view pooling_type, bool global_pooling, bool adaptive) {
  const Planes planes(x, data_format);
  SY_ASSIGN_OR_RETURN(
      PoolWindows windows,
      WindowsOf({planes.extent(0), planes.extent(1)}, kernel_size, attrs,
                ceil_mode, exclusive, global_pooling, adaptive));
  return PoolCall{planes, Planes(out, data_format), std::move(windows),
                  pooling_type == "max"};
}

// What a largest element starts from: in Paddle the same for every floating
// dtype.
template <typename T>
constexpr T PoolLowest() {
  return std::is_integral_v<T> ? std::numeric_limits<T>::lowest()
                               : static_cast<T>(-3.402823466e+38f);
}

// Integers are summed in float, where that is exact, and rounded to the
// nearest; their mean of no elements is 0.
template <typename T>
using PoolSum = std::conditional_t<std::is_integral_v<T>, float, T>;
template <typename T>
T PoolMean(PoolSum<T> sum, int64_t count) {
  if (std::is_integral_v<T> && count == 0) return T{0};
  const PoolSum<T> mean = sum / static_cast<PoolSum<T>>(count);
  return static_cast<T>(std::is_integral_v<T> ? std::nearbyint(mean) : mean);
}

template <typename T>
T Larger(T largest, T v) {
  return largest > v ? largest : v;
}

// The largest elements of whole tiles of 2 x 2 (PoolWindows::tiles): the
// windows of most networks, in a loop without branches.
template <typename T>
void PoolTiles(const PoolCall& call, const T* x, T* out) {
  const int64_t in_row = call.x.strides().row, out_row = call.out.strides().row;
  const int64_t columns = call.out.extent(1);
  for (int64_t y = 0; y < call.out.extent(0); ++y) {
    const T *top = x + 2 * y * in_row, *bottom = top + in_row;
    T* to = out + y * out_row;
    for (int64_t c = 0; c < columns; ++c) {
      T largest = Larger(PoolLowest<T>(), top[2 * c]);
      largest = Larger(largest, top[2 * c + 1]);
      largest = Larger(largest, bottom[2 * c]);
      to[c] = Larger(largest, bottom[2 * c + 1]);
    }
  }
}

// Their gradient: each element of dx belongs to one tile, or to none.
template <typename T>
void PoolTilesGrad(const PoolCall& call, const T* x, const T* out, const T* dy,
                   T* dx) {
  const int64_t in_row = call.x.strides().row, out_row = call.out.strides().row;
  const int64_t columns = call.out.extent(1), width = call.x.extent(1);
  for (int64_t y = 0; y < call.out.extent(0); ++y) {
    const T *top = x + 2 * y * in_row, *bottom = top + in_row;
    T *to = dx + 2 * y * in_row, *below = to + in_row;
    for (int64_t c = 0; c < columns; ++c) {
      const T largest = out[y * out_row + c], g = dy[y * out_row + c];
      const bool first = top[2 * c] == largest;
      const bool second = !first & (top[2 * c + 1] == largest);
      const bool third = !(first | second) & (bottom[2 * c] == largest);
      const bool fourth =
          !(first | second | third) & (bottom[2 * c + 1] == largest);
      to[2 * c] = first ? g : T{0};
      to[2 * c + 1] = second ? g : T{0};
      below[2 * c] = third ? g : T{0};
      below[2 * c + 1] = fourth ? g : T{0};
    }
    std::fill_n(to + 2 * columns, width - 2 * columns, T{0});
    std::fill_n(below + 2 * columns, width - 2 * columns, T{0});
  }
  for (int64_t y = 2 * call.out.extent(0); y < call.x.extent(0); ++y) {
    std::fill_n(dx + y * in_row, width, T{0});
  }
}

template <typename T>
void PoolPlane(const PoolCall& call, const T* x, T* out) {
  if (call.tiles()) return PoolTiles(call, x, out);
  const PlaneStrides in = call.x.strides(), to = call.out.strides();
  for (size_t oh = 0; oh < call.windows.rows.size(); ++oh) {
    const PoolSpan& h = call.windows.rows[oh];
    for (size_t ow = 0; ow < call.windows.columns.size(); ++ow) {
      const PoolSpan& w = call.windows.columns[ow];
      T largest = PoolLowest<T>();
      PoolSum<T> sum = 0;
      for (int64_t y = h.begin; y < h.end; ++y) {
        const T* row = x + y * in.row;
        for (int64_t c = w.begin; c < w.end; ++c) {
          const T v = row[c * in.column];
          largest = largest > v ? largest : v;
          sum += v;
        }
      }
      out[oh * to.row + ow * to.column] =
          call.max ? largest : PoolMean<T>(sum, call.windows.Count(h, w));
    }
  }
}

// Calls visit(position in the window's plane of x) for the element of a window
// that is its largest, the first of several; never if there is none (NaN).
template <typename T, typename Visit>
void FindLargest(const PoolSpan& h, const PoolSpan& w, PlaneStrides in,
                 const T* x, T largest, const Visit& visit) {
  for (int64_t y = h.begin; y < h.end; ++y) {
    for (int64_t c = w.begin; c < w.end; ++c) {
      const int64_t at = y * in.row + c * in.column;
      if (x[at] == largest) return visit(at);
    }
  }
}

// `dx` has the strides of x.
template <typename T>
void PoolPlaneGrad(const PoolCall& call, const T* x, const T* out, const T* dy,
                   T* dx) {
  if (call.tiles()) return PoolTilesGrad(call, x, out, dy, dx);
  const PlaneStrides in = call.x.strides(), to = call.out.strides();
  for (int64_t y = 0; y < call.x.extent(0); ++y) {
    for (int64_t c = 0; c < call.x.extent(1); ++c) {
      dx[y * in.row + c * in.column] = 0;
    }
  }
  for (size_t oh = 0; oh < call.windows.rows.size(); ++oh) {
    const PoolSpan& h = call.windows.rows[oh];
    for (size_t ow = 0; ow < call.windows.columns.size(); ++ow) {
      const PoolSpan& w = call.windows.columns[ow];
      const int64_t o = oh * to.row + ow * to.column;
      if (call.max) {
        FindLargest(h, w, in, x, out[o], [&](int64_t at) { dx[at] += dy[o]; });
        continue;
      }
      const T share = dy[o] / T(call.windows.Count(h, w));
      for (int64_t y = h.begin; y < h.end; ++y) {
        for (int64_t c = w.begin; c < w.end; ++c) {
          dx[y * in.row + c * in.column] += share;
        }
      }
    }
  }
}

// `ddx` has the strides of x, `ddy` those of out.
template <typename T>
void PoolPlaneDoubleGrad(const PoolCall& call, const T* x, const T* out,
                         const T* ddx, T* ddy) {
  const PlaneStrides in = call.x.strides(), to = call.out.strides();
  if (!call.max) return PoolPlane(call, ddx, ddy);
  for (size_t oh = 0; oh < call.windows.rows.size(); ++oh) {
    for (size_t ow = 0; ow < call.windows.columns.size(); ++ow) {
      const int64_t o = oh * to.row + ow * to.column;
      ddy[o] = 0;
      FindLargest(call.windows.rows[oh], call.windows.columns[ow], in, x,
                  out[o], [&](int64_t at) { ddy[o] = ddx[at]; });
    }
  }
}

template <typename T, typename Context>
absl::Status Pool2dKernel(const Context&, const DenseTensor& x,
                          absl::Span<const int64_t> kernel_size,
                          absl::Span<const int> strides,
                          absl::Span<const int> paddings, bool ceil_mode,
                          bool exclusive, std::string_view data_format,
                          std::string_view pooling_type, bool global_pooling,
                          bool adaptive, std::string_view padding_algorithm,
                          DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(
      const PoolCall call,
      PoolCallOf(x, *out, kernel_size, {strides, paddings, padding_algorithm},
                 ceil_mode, exclusive, data_format, pooling_type,
                 global_pooling, adaptive));
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  ParallelFor(0, call.x.count(), call.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      PoolPlane(call, from + call.x.begin(p), to + call.out.begin(p));
    }
  });
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status Pool2dGradKernel(
    const Context&, const DenseTensor& x, const DenseTensor& out,
    const DenseTensor& out_grad, absl::Span<const int64_t> kernel_size,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    bool ceil_mode, bool exclusive, std::string_view data_format,
    std::string_view pooling_type, bool global_pooling, bool adaptive,
    std::string_view padding_algorithm, DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(
      const PoolCall call,
      PoolCallOf(x, out, kernel_size, {strides, paddings, padding_algorithm},
                 ceil_mode, exclusive, data_format, pooling_type,
                 global_pooling, adaptive));
  T* dx = x_grad->mutable_data<T>();
  ParallelFor(0, call.x.count(), call.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t in = call.x.begin(p), o = call.out.begin(p);
      PoolPlaneGrad(call, x.data<T>() + in, out.data<T>() + o,
                    out_grad.data<T>() + o, dx + in);
    }
  });
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status Pool2dDoubleGradKernel(
    const Context&, const DenseTensor& x, const DenseTensor& out,
    const DenseTensor& x_grad_grad, absl::Span<const int64_t> kernel_size,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    bool ceil_mode, bool exclusive, std::string_view data_format,
    std::string_view pooling_type, bool global_pooling, bool adaptive,
    std::string_view padding_algorithm, DenseTensor* out_grad_grad) {
  SY_ASSIGN_OR_RETURN(
      const PoolCall call,
      PoolCallOf(x, out, kernel_size, {strides, paddings, padding_algorithm},
                 ceil_mode, exclusive, data_format, pooling_type,
                 global_pooling, adaptive));
  T* ddy = out_grad_grad->mutable_data<T>();
  ParallelFor(0, call.x.count(), call.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t in = call.x.begin(p), o = call.out.begin(p);
      PoolPlaneDoubleGrad(call, x.data<T>() + in, out.data<T>() + o,
                          x_grad_grad.data<T>() + in, ddy + o);
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_H_
