// SPDX-License-Identifier: Apache-2.0
// The kernels of pool3d, of the poolings that yield positions, of unpool and
// unpool3d, and of their gradients, on the CPU: plain loops, a plane a thread.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_POOL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_POOL_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/max_pool2d_with_index.args.gen.h"
#include "phi/core/signatures/pool3d.args.gen.h"
#include "phi/core/signatures/pool3d_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/conversion/index_copy.h"
#include "phi/kernels/cpu/conversion/items_in_float.h"
#include "phi/kernels/cpu/volume/pool_spans.h"
#include "phi/shapes/interpolation.h"

namespace switchyard::phi::kernels::cpu {

// Calls run(plane) for all planes.
template <typename Run>
void ForEachPlane(const VolumePool& pool, const Run& run) {
  ParallelFor(0, pool.planes(), pool.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) run(plane);
  });
}

// The number of elements that a mean divides by.
inline int64_t CountOf(VolumeSpan zs, VolumeSpan ys, VolumeSpan ws,
                       bool inside) {
  if (!inside) return zs.extent * ys.extent * ws.extent;
  return (zs.end - zs.begin) * (ys.end - ys.begin) * (ws.end - ws.begin);
}

template <typename S>
inline constexpr auto kPool3dSpec = KernelSpec<S>();
template <typename T>
absl::Status Pool3dOf(const CpuContext&, const Pool3dArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const VolumePool pool,
      VolumePool::Make(args.x.shape(), args.out->shape(),
                       ChannelsLast(args.data_format),
                       {args.kernel_size,
                        {args.strides, args.paddings, args.padding_algorithm},
                        args.ceil_mode,
                        args.global_pooling,
                        args.adaptive}));
  const bool max = args.pooling_type == "max";
  T* to = args.out->mutable_data<T>();
  ForEachPlane(pool, [&](int64_t plane) {
    const T* from = args.x.data<T>() + pool.XBegin(plane);
    T* result = to + pool.OutBegin(plane);
    pool.ForEachWindow(
        [&](int64_t o, VolumeSpan zs, VolumeSpan ys, VolumeSpan ws) {
          if (max) {
            result[o] = pool.LargestOf(zs, ys, ws, from).value;
            return;
          }
          T sum{0};
          pool.ForEachElement(zs, ys, ws,
                              [&](int64_t i, int64_t) { sum += from[i]; });
          result[o] = sum / static_cast<T>(CountOf(zs, ys, ws, args.exclusive));
        });
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Pool3dKernel =
    KernelByItemsInFloat<T, &Pool3dOf<FloatFor<T>>, Batched(0, 11)>();

template <typename S>
inline constexpr auto kPool3dGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Pool3dGradOf(const CpuContext&, const Pool3dGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const VolumePool pool,
      VolumePool::Make(args.x.shape(), args.out.shape(),
                       ChannelsLast(args.data_format),
                       {args.kernel_size,
                        {args.strides, args.paddings, args.padding_algorithm},
                        args.ceil_mode,
                        args.global_pooling,
                        args.adaptive}));
  const bool max = args.pooling_type == "max";
  T* dx = args.x_grad->mutable_data<T>();
  std::fill_n(dx, args.x_grad->numel(), T{0});
  ForEachPlane(pool, [&](int64_t plane) {
    const T* from = args.x.data<T>() + pool.XBegin(plane);
    const T* grad = args.out_grad.data<T>() + pool.OutBegin(plane);
    T* to = dx + pool.XBegin(plane);
    pool.ForEachWindow(
        [&](int64_t o, VolumeSpan zs, VolumeSpan ys, VolumeSpan ws) {
          if (max) {
            to[pool.LargestOf(zs, ys, ws, from).offset] += grad[o];
            return;
          }
          const T part =
              grad[o] / static_cast<T>(CountOf(zs, ys, ws, args.exclusive));
          pool.ForEachElement(zs, ys, ws,
                              [&](int64_t i, int64_t) { to[i] += part; });
        });
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Pool3dGradKernel =
    KernelByItemsInFloat<T, &Pool3dGradOf<FloatFor<T>>, Batched(0, 1, 2, 13)>();

template <typename S>
inline constexpr auto kMaxPool2dWithIndexSpec =
    KernelSpec<S>().Output(S::kMask, Fixed(DataType::kInt32));
template <typename T>
absl::Status MaxPool2dWithIndexOf(const CpuContext&,
                                  const MaxPool2dWithIndexArgs& args) {
  const std::vector<int64_t> sizes(args.kernel_size.begin(),
                                   args.kernel_size.end());
  SY_ASSIGN_OR_RETURN(
      const VolumePool pool,
      VolumePool::Make(args.x.shape(), args.out->shape(), false,
                       {sizes,
                        {args.strides, args.paddings, "EXPLICIT"},
                        args.ceil_mode,
                        args.global_pooling,
                        args.adaptive}));
  T* to = args.out->mutable_data<T>();
  int32_t* places = args.mask->mutable_data<int32_t>();
  ForEachPlane(pool, [&](int64_t plane) {
    const T* from = args.x.data<T>() + pool.XBegin(plane);
    const int64_t first = pool.OutBegin(plane);
    pool.ForEachWindow(
        [&](int64_t o, VolumeSpan zs, VolumeSpan ys, VolumeSpan ws) {
          const auto largest = pool.LargestOf(zs, ys, ws, from);
          to[first + o] = largest.value;
          places[first + o] = static_cast<int32_t>(largest.number);
        });
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto MaxPool2dWithIndexKernel =
    KernelInFloat<T, &MaxPool2dWithIndexOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kMaxPool3dWithIndexSpec =
    KernelSpec<S>().Output(S::kMask, Fixed(DataType::kInt32));
template <typename T>
inline constexpr auto MaxPool3dWithIndexKernel = MaxPool2dWithIndexKernel<T>;

// Elements of a [batch, channels, ...] tensor's plane.
inline int64_t PlaneSize(const DenseTensor& x) {
  return x.shape().numel(2, x.rank());
}

// to[plane][position] = or += from[plane], of zeros.
template <bool kAdd, typename T>
void PutAtPositions(const DenseTensor& from, const int64_t* positions,
                    DenseTensor* to) {
  const int64_t count = PlaneSize(from), pixels = PlaneSize(*to);
  const T* v = from.data<T>();
  T* out = to->mutable_data<T>();
  std::fill_n(out, to->numel(), T{0});
  for (int64_t i = 0; i < from.numel(); ++i) {
    T& element = out[i / count * pixels + positions[i]];
    element = kAdd ? element + v[i] : v[i];
  }
}

template <typename S>
inline constexpr auto kMaxPool2dWithIndexGradSpec =
    KernelSpec<S>()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Input(S::kMask, Fixed(DataType::kInt32));
template <typename T>
absl::Status MaxPool2dWithIndexGradOf(const CpuContext& context,
                                      const DenseTensor& x,
                                      const DenseTensor& mask,
                                      const DenseTensor& out_grad,
                                      DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> positions,
      CopyIndicesIn(context.allocator(), "mask", mask, 0, PlaneSize(x)));
  PutAtPositions<true, T>(out_grad, positions.data(), x_grad);
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto MaxPool2dWithIndexGradKernel =
    KernelInFloat<T, &MaxPool2dWithIndexGradOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kMaxPool3dWithIndexGradSpec =
    kMaxPool2dWithIndexGradSpec<S>.Here();
template <typename T>
inline constexpr auto MaxPool3dWithIndexGradKernel =
    MaxPool2dWithIndexGradKernel<T>;

template <typename S>
inline constexpr auto kUnpoolSpec = KernelSpec<S>().Input(S::kIndices,
                                                          OneOf(kIndexDtypes));
template <typename T>
absl::Status UnpoolOf(const CpuContext& context, const DenseTensor& x,
                      const DenseTensor& indices, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Workspace<int64_t> positions,
                      CopyIndicesIn(context.allocator(), "indices", indices, 0,
                                    PlaneSize(*out)));
  PutAtPositions<false, T>(x, positions.data(), out);
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto UnpoolKernel = KernelInFloat<T, &UnpoolOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kUnpool3dSpec = kUnpoolSpec<S>.Here();
template <typename T>
inline constexpr auto Unpool3dKernel = UnpoolKernel<T>;

template <typename S>
inline constexpr auto kUnpoolGradSpec =
    KernelSpec<S>().Input(S::kIndices, OneOf(kIndexDtypes));
template <typename T>
absl::Status UnpoolGradOf(const CpuContext& context, const DenseTensor& indices,
                          const DenseTensor& out_grad, DenseTensor* x_grad) {
  const int64_t count = PlaneSize(*x_grad), pixels = PlaneSize(out_grad);
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> positions,
      CopyIndicesIn(context.allocator(), "indices", indices, 0, pixels));
  T* to = x_grad->mutable_data<T>();
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    to[i] = out_grad.data<T>()[i / count * pixels + positions.data()[i]];
  }
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto UnpoolGradKernel =
    KernelInFloat<T, &UnpoolGradOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kUnpool3dGradSpec = kUnpoolGradSpec<S>.Here();
template <typename T>
inline constexpr auto Unpool3dGradKernel = UnpoolGradKernel<T>;

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_POOL_H_
