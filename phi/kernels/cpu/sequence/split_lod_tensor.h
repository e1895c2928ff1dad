// SPDX-License-Identifier: Apache-2.0
// split_lod_tensor and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SPLIT_LOD_TENSOR_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SPLIT_LOD_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/branches.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The items of x at `level`, and which of them are of the branch "true".
inline absl::StatusOr<MaskedItems> ReadMasked(const DenseTensor& x,
                                              const DenseTensor& mask,
                                              int level) {
  MaskedItems split;
  SY_ASSIGN_OR_RETURN(split.items, ReadItems("x", x, level));
  SY_ASSIGN_OR_RETURN(split.mask, ReadMask(mask, split.items.count()));
  return split;
}

// Writes the items of one branch, with their sequences.
template <typename T>
absl::Status TakeBranch(const CpuContext& context, const DenseTensor& x,
                        const MaskedItems& split, bool branch,
                        DenseTensor* to) {
  const RowSources sources = BranchRows(split, branch);
  SY_RETURN_IF_ERROR(AllocateAnew(
      context, x.dtype(),
      WithRows(x.shape(), static_cast<int64_t>(sources.size())), to));
  if (to == nullptr) return absl::OkStatus();
  CopySourceRows<T>(x, sources, to);
  if (split.items.levels.empty()) return absl::OkStatus();
  std::vector<Offsets> levels(split.items.levels.size(), Offsets{0});
  for (int64_t i = 0; i < split.items.count(); ++i) {
    if (split.mask[i] == branch) AppendItem(split.items, i, &levels);
  }
  SetLod(LoD{std::move(levels)}, to);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSplitLodTensorSpec =
    KernelSpec<S>()
        .Input(S::kMask, Fixed(DataType::kBool))
        .Output(S::kOutTrue, SelfAllocated(ArgDef()))
        .Output(S::kOutFalse, SelfAllocated(ArgDef()));
// out_true, out_false: the items of x whose element of mask is true, and the
// others, with their sequences from `level` on.
template <typename T>
absl::Status SplitLodTensorKernel(const CpuContext& context,
                                  const DenseTensor& x, const DenseTensor& mask,
                                  int level, DenseTensor* out_true,
                                  DenseTensor* out_false) {
  SY_ASSIGN_OR_RETURN(const MaskedItems split, ReadMasked(x, mask, level));
  SY_RETURN_IF_ERROR(TakeBranch<T>(context, x, split, true, out_true));
  return TakeBranch<T>(context, x, split, false, out_false);
}

template <typename S>
inline constexpr auto kSplitLodTensorGradSpec =
    KernelSpec<S>().Input(S::kMask, Fixed(DataType::kBool));
// x_grad: the gradients of both branches in the places of their rows; 0 for
// those of a branch that has none.
template <typename T>
absl::Status SplitLodTensorGradKernel(const CpuContext&, const DenseTensor& x,
                                      const DenseTensor& mask,
                                      const DenseTensor* out_true_grad,
                                      const DenseTensor* out_false_grad,
                                      int level, DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const MaskedItems split, ReadMasked(x, mask, level));
  const RowSources rows[] = {BranchRows(split, false), BranchRows(split, true)};
  const DenseTensor* grads[] = {out_false_grad, out_true_grad};
  for (int branch = 0; branch < 2; ++branch) {
    if (grads[branch] == nullptr) continue;
    SY_RETURN_IF_ERROR(CheckGradientRows(
        *grads[branch], static_cast<int64_t>(rows[branch].size())));
  }
  if (x_grad == nullptr) return absl::OkStatus();
  T* to = x_grad->mutable_data<T>();
  std::fill_n(to, x_grad->numel(), T{0});
  const int64_t width = RowWidth(*x_grad);
  for (int branch = 0; branch < 2; ++branch) {
    if (grads[branch] == nullptr) continue;
    const T* from = grads[branch]->template data<T>();
    for (const int64_t row : rows[branch]) {
      std::copy_n(from, width, to + row * width);
      from += width;
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SPLIT_LOD_TENSOR_H_
