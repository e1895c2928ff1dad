// SPDX-License-Identifier: Apache-2.0
// merge_lod_tensor and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_MERGE_LOD_TENSOR_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_MERGE_LOD_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <string>
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

// The items of both branches, in_false first, and the order in which mask takes
// them.
struct MergedItems {
  RowItems items[2];
  std::vector<bool> mask;
};

inline absl::StatusOr<MergedItems> ReadMerged(const DenseTensor& mask,
                                              const DenseTensor& in_true,
                                              const DenseTensor& in_false) {
  MergedItems merged;
  SY_ASSIGN_OR_RETURN(merged.items[0], ReadItems("in_false", in_false, 0));
  SY_ASSIGN_OR_RETURN(merged.items[1], ReadItems("in_true", in_true, 0));
  SY_ASSIGN_OR_RETURN(merged.mask, ReadMask(mask, merged.items[0].count() +
                                                      merged.items[1].count()));
  const int64_t taken =
      std::count(merged.mask.begin(), merged.mask.end(), true);
  if (taken != merged.items[1].count()) {
    return ArgumentError("mask",
                         "true for the " +
                             std::to_string(merged.items[1].count()) +
                             " items of in_true",
                         std::to_string(taken));
  }
  // One without items may lack the sequences that the other has.
  const auto& [without, with] = merged.items;
  if (without.levels.size() != with.levels.size() && without.count() > 0 &&
      with.count() > 0) {
    return ArgumentError(
        "in_false",
        "of " + std::to_string(with.levels.size()) + " levels of sequences",
        std::to_string(without.levels.size()));
  }
  return merged;
}

// Calls visit(branch, item) in the order of the result.
template <typename Visit>
void VisitMergedItems(const MergedItems& merged, const Visit& visit) {
  int64_t next[] = {0, 0};
  for (const bool branch : merged.mask) visit(branch, next[branch]++);
}

template <typename S>
inline constexpr auto kMergeLodTensorSpec =
    KernelSpec<S>()
        .Input(S::kX, AnyDtype())
        .Input(S::kMask, Fixed(DataType::kBool))
        .Output(S::kOut, SelfAllocated(ArgDef()));
// out: the items of in_true and of in_false, each in its order, at the places
// where mask is true and where it is false. Levels of x above `level` stay.
template <typename T>
absl::Status MergeLodTensorKernel(const CpuContext& context,
                                  const DenseTensor& x, const DenseTensor& mask,
                                  const DenseTensor& in_true,
                                  const DenseTensor& in_false, int level,
                                  DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const MergedItems merged,
                      ReadMerged(mask, in_true, in_false));
  const DenseTensor* from[] = {&in_false, &in_true};
  const int64_t rows =
      merged.items[0].rows.back() + merged.items[1].rows.back();
  SY_RETURN_IF_ERROR(AllocateAnew(context, from[1]->dtype(),
                                  WithRows(from[1]->shape(), rows), out));
  const int64_t width = RowWidth(*from[1]);
  T* to = out->mutable_data<T>();
  // An empty branch says nothing of levels.
  const size_t depth =
      merged.items[merged.items[0].count() > 0 ? 0 : 1].levels.size();
  std::vector<Offsets> levels(depth, Offsets{0});
  VisitMergedItems(merged, [&](int branch, int64_t i) {
    const RowItems& items = merged.items[branch];
    to = std::copy(from[branch]->data<T>() + items.rows[i] * width,
                   from[branch]->data<T>() + items.rows[i + 1] * width, to);
    AppendItem(items, i, &levels);
  });
  if (depth == 0) return absl::OkStatus();
  if (level > 0 && x.lod() != nullptr) {
    const std::vector<Offsets>& given = x.lod()->offsets;
    levels.insert(levels.begin(), given.begin(),
                  given.begin() + std::min<size_t>(level, given.size()));
  }
  LoD lod{std::move(levels)};
  SY_RETURN_IF_ERROR(Annotate(Validate(lod, rows), "x"));
  SetLod(std::move(lod), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMergeLodTensorGradSpec =
    KernelSpec<S>().Input(S::kMask, Fixed(DataType::kBool));
template <typename T>
absl::Status MergeLodTensorGradKernel(const CpuContext&, const DenseTensor&,
                                      const DenseTensor& mask,
                                      const DenseTensor& in_true,
                                      const DenseTensor& in_false,
                                      const DenseTensor& out_grad, int,
                                      DenseTensor* in_true_grad,
                                      DenseTensor* in_false_grad) {
  SY_ASSIGN_OR_RETURN(const MergedItems merged,
                      ReadMerged(mask, in_true, in_false));
  SY_RETURN_IF_ERROR(CheckGradientRows(
      out_grad, merged.items[0].rows.back() + merged.items[1].rows.back()));
  DenseTensor* grads[] = {in_false_grad, in_true_grad};
  const int64_t width = RowWidth(out_grad);
  T* to[] = {nullptr, nullptr};
  for (int branch = 0; branch < 2; ++branch) {
    if (grads[branch] == nullptr) continue;
    to[branch] = grads[branch]->template mutable_data<T>();
  }
  const T* from = out_grad.data<T>();
  VisitMergedItems(merged, [&](int branch, int64_t i) {
    const Offsets& rows = merged.items[branch].rows;
    const int64_t count = (rows[i + 1] - rows[i]) * width;
    if (to[branch] != nullptr) {
      std::copy_n(from, count, to[branch] + rows[i] * width);
    }
    from += count;
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_MERGE_LOD_TENSOR_H_
