// SPDX-License-Identifier: Apache-2.0
// pool2d and its gradients on the CPU, in either format. A window is one
// thread's, and so is a plane (an image's channel) of a gradient: the number of
// threads does not change the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOLING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOLING_H_

#include <cmath>
#include <string_view>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/pool2d.args.gen.h"
#include "phi/core/signatures/pool2d_double_grad.args.gen.h"
#include "phi/core/signatures/pool2d_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/items_in_float.h"
#include "phi/kernels/cpu/pooling/pool_call.h"
#include "phi/kernels/cpu/pooling/pool_largest.h"

namespace switchyard::phi::kernels::cpu {

// Integers are summed in float, where that is exact, and rounded to the
// nearest.
template <typename T>
using PoolSum = std::conditional_t<std::is_integral_v<T>, float, T>;
template <typename T>
T PoolMean(PoolSum<T> sum, int64_t count) {
  const PoolSum<T> mean = sum / static_cast<PoolSum<T>>(count);
  return static_cast<T>(std::is_integral_v<T> ? std::nearbyint(mean) : mean);
}

template <typename T>
void MeanOfPlane(const PoolCall& call, const T* x, T* out) {
  const PlaneStrides in = call.x.strides(), to = call.out.strides();
  for (size_t oh = 0; oh < call.windows.rows.size(); ++oh) {
    const PoolSpan& h = call.windows.rows[oh];
    for (size_t ow = 0; ow < call.windows.columns.size(); ++ow) {
      const PoolSpan& w = call.windows.columns[ow];
      PoolSum<T> sum = 0;
      for (int64_t y = h.begin; y < h.end; ++y) {
        const T* row = x + y * in.row;
        PoolSum<T> of_row = 0;
        for (int64_t c = w.begin; c < w.end; ++c) of_row += row[c * in.column];
        sum += of_row;
      }
      out[oh * to.row + ow * to.column] =
          PoolMean<T>(sum, call.windows.Count(h, w));
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
        const int64_t at = PlaceOfLargest(h, w, in, x, out[o]);
        if (at >= 0) dx[at] += dy[o];
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
  if (!call.max) return MeanOfPlane(call, ddx, ddy);
  for (size_t oh = 0; oh < call.windows.rows.size(); ++oh) {
    for (size_t ow = 0; ow < call.windows.columns.size(); ++ow) {
      const int64_t o = oh * to.row + ow * to.column;
      const int64_t at = PlaceOfLargest(
          call.windows.rows[oh], call.windows.columns[ow], in, x, out[o]);
      ddy[o] = at >= 0 ? ddx[at] : T{0};
    }
  }
}

// Images in other layouts are pooled as they come, to the same bits.
template <typename S>
absl::Status PoolLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  FollowImage(call.attrs[S::kDataFormat].template Get<std::string_view>(),
              layouts);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPool2dSpec =
    KernelSpec<S>().Layouts(DataLayout::kStrided, &PoolLayouts<S>);
template <typename T>
absl::Status Pool2dOf(const CpuContext& context, const Pool2dArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const PoolCall call,
      MakePoolCall(args.x, *args.out, args.kernel_size,
                   {args.strides, args.paddings, args.padding_algorithm},
                   args.ceil_mode, args.exclusive, args.data_format,
                   args.pooling_type, args.global_pooling, args.adaptive));
  const T* from = args.x.data<T>();
  T* to = args.out->mutable_data<T>();
  if (call.max) return LargestOfWindows(context.allocator(), call, from, to);
  if constexpr (std::is_floating_point_v<T>) {
    if (call.x.channels_last()) {
      ForEachPixelRow(call, from, to,
                      [](const PixelRow<T>& row) { MeanOfPixels(row); });
      return absl::OkStatus();
    }
  }
  ParallelFor(0, call.x.count(), call.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      MeanOfPlane(call, from + call.x.begin(p), to + call.out.begin(p));
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Pool2dKernel =
    KernelByItemsInFloat<T, &Pool2dOf<FloatFor<T>>, Batched(0, 11)>();

template <typename S>
inline constexpr auto kPool2dGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Pool2dGradOf(const CpuContext&, const Pool2dGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const PoolCall call,
      MakePoolCall(args.x, args.out, args.kernel_size,
                   {args.strides, args.paddings, args.padding_algorithm},
                   args.ceil_mode, args.exclusive, args.data_format,
                   args.pooling_type, args.global_pooling, args.adaptive));
  T* dx = args.x_grad->mutable_data<T>();
  ParallelFor(0, call.x.count(), call.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t in = call.x.begin(p), o = call.out.begin(p);
      PoolPlaneGrad(call, args.x.data<T>() + in, args.out.data<T>() + o,
                    args.out_grad.data<T>() + o, dx + in);
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Pool2dGradKernel =
    KernelByItemsInFloat<T, &Pool2dGradOf<FloatFor<T>>, Batched(0, 1, 2, 13)>();

template <typename S>
inline constexpr auto kPool2dDoubleGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Pool2dDoubleGradOf(const CpuContext&,
                                const Pool2dDoubleGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const PoolCall call,
      MakePoolCall(args.x, args.out, args.kernel_size,
                   {args.strides, args.paddings, args.padding_algorithm},
                   args.ceil_mode, args.exclusive, args.data_format,
                   args.pooling_type, args.global_pooling, args.adaptive));
  T* ddy = args.out_grad_grad->mutable_data<T>();
  ParallelFor(0, call.x.count(), call.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t in = call.x.begin(p), o = call.out.begin(p);
      PoolPlaneDoubleGrad(call, args.x.data<T>() + in, args.out.data<T>() + o,
                          args.x_grad_grad.data<T>() + in, ddy + o);
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Pool2dDoubleGradKernel = KernelByItemsInFloat<
    T, &Pool2dDoubleGradOf<FloatFor<T>>, Batched(0, 1, 2, 13)>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOLING_H_
