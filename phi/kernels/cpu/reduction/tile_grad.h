// SPDX-License-Identifier: Apache-2.0
// The kernel of tile_grad on the CPU: the sum over the copies of each element.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_TILE_GRAD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_TILE_GRAD_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/reduction/reduce.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The middle axis of [before, copies, after] is summed.
struct TiledAxis {
  int64_t before;
  int64_t copies;
  int64_t after;
};

// Returns the sums that undo a tile, the last axis first: what is after an
// axis has x's own extents by then.
absl::InlinedVector<TiledAxis, 4> TiledAxes(const Shape& x, const Shape& out,
                                            IntArray repeat_times);

// Sums axis by axis, each in the order of the kernel of `sum`.
template <typename S>
inline constexpr auto kTileGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status TileGradKernel(const CpuContext& context, const DenseTensor&,
                            const DenseTensor& out_grad, IntArray repeat_times,
                            DenseTensor* x_grad) {
  T* const to = x_grad->mutable_data<T>();
  const T* from = out_grad.data<T>();
  const auto axes = TiledAxes(x_grad->shape(), out_grad.shape(), repeat_times);
  if (x_grad->numel() == 0) return absl::OkStatus();
  if (out_grad.numel() == 0) {  // An axis is repeated no times.
    std::fill_n(to, x_grad->numel(), T{0});
    return absl::OkStatus();
  }
  if (axes.empty()) {
    std::copy_n(from, x_grad->numel(), to);
    return absl::OkStatus();
  }
  Workspace<T> sums[2];
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto [before, copies, after] = axes[i];
    T* result = to;
    if (i + 1 < axes.size()) {
      Workspace<T>& workspace = sums[i % 2];
      SY_ASSIGN_OR_RETURN(
          workspace, Workspace<T>::Make(context.allocator(), before * after));
      result = workspace.data();
    }
    const Shape shape({before, copies, after});
    Reduce<SumReduction<T>>(ReducePlan::OfAxes(shape, {1}), from, result);
    from = result;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_TILE_GRAD_H_
