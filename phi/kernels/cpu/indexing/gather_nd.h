// SPDX-License-Identifier: Apache-2.0
// gather_nd, scatter_nd_add and scatter_nd_update on the CPU: the rows of the
// index tensor become positions in x's first axes taken as one, where
// indexing.h moves and adds.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_GATHER_ND_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_GATHER_ND_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/indexing/indexing.h"

namespace switchyard::phi::kernels::cpu {

// x as lines along the axes that the rows of `index` choose from, as one.
AxisSlices ChosenLines(const Shape& x, const DenseTensor& index);
// The position along these lines that each row of `index` means. RangeError
// unless each index is in [-extent, extent) of its axis.
absl::StatusOr<Workspace<int64_t>> CheckedRows(Allocator& allocator,
                                               const Shape& x,
                                               const DenseTensor& index);

template <typename S>
inline constexpr auto kGatherNdSpec =
    KernelSpec<S>().Input(S::kIndex, OneOf(kIndexDtypes));
template <typename T>
absl::Status GatherNdKernel(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor& index, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Workspace<int64_t> rows,
                      CheckedRows(context.allocator(), x.shape(), index));
  MoveSlices(x, ChosenLines(x.shape(), index), rows.span(), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kScatterNdAddSpec =
    KernelSpec<S>().Input(S::kIndex, OneOf(kIndexDtypes));
template <typename T>
absl::Status ScatterNdAddKernel(const CpuContext& context, const DenseTensor& x,
                                const DenseTensor& index,
                                const DenseTensor& updates, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Workspace<int64_t> rows,
                      CheckedRows(context.allocator(), x.shape(), index));
  CopyAll(x, out);
  return AddSlices(context.allocator(), updates.data<T>(),
                   ChosenLines(x.shape(), index), rows.span(),
                   out->mutable_data<T>());
}

template <typename S>
inline constexpr auto kScatterNdUpdateSpec =
    KernelSpec<S>().Input(S::kIndex, OneOf(kIndexDtypes));
template <typename T>
absl::Status ScatterNdUpdateKernel(const CpuContext& context,
                                   const DenseTensor& x,
                                   const DenseTensor& index,
                                   const DenseTensor& updates,
                                   DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Workspace<int64_t> rows,
                      CheckedRows(context.allocator(), x.shape(), index));
  CopyAll(x, out);
  PutSlices(updates, ChosenLines(x.shape(), index), rows.span(), out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_GATHER_ND_H_
