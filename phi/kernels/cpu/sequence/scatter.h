// SPDX-License-Identifier: Apache-2.0
// sequence_scatter and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SCATTER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SCATTER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The element of x that each update is added to.
inline absl::StatusOr<std::vector<int64_t>> ScatterTargets(
    const DenseTensor& x, const DenseTensor& ids) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("ids", ids));
  const Offsets& offsets = lod->offsets.back();
  if (SequenceCount(offsets) != x.extent(0)) {
    return ArgumentError(
        "ids",
        "of " + std::to_string(x.extent(0)) + " sequences, the rows of x",
        std::to_string(SequenceCount(offsets)));
  }
  const int64_t width = x.extent(1);
  std::vector<int64_t> targets;
  for (int64_t i = 0; i < x.extent(0); ++i) {
    for (int64_t j = offsets[i]; j < offsets[i + 1]; ++j) {
      const int64_t id = ids.dtype() == DataType::kInt32
                             ? int64_t{ids.data<int32_t>()[j]}
                             : ids.data<int64_t>()[j];
      if (id < 0 || id >= width) {
        return RangeError("ids", "in [0, " + std::to_string(width) + ")",
                          std::to_string(id));
      }
      targets.push_back(i * width + id);
    }
  }
  return targets;
}

template <typename S>
inline constexpr auto kSequenceScatterSpec =
    KernelSpec<S>()
        .Input(S::kIds, OneOf(kIndexDtypes))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SequenceScatterKernel(const CpuContext& context,
                                   const DenseTensor& x, const DenseTensor& ids,
                                   const DenseTensor& updates,
                                   DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> targets,
                      ScatterTargets(x, ids));
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), x.shape(), out));
  T* const sums = out->mutable_data<T>();
  std::copy_n(x.data<T>(), x.numel(), sums);
  const T* update = updates.data<T>();
  for (const int64_t target : targets) sums[target] += *update++;
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceScatterGradSpec = KernelSpec<S>()
                                                     .Input(S::kIds,
                                                            OneOf(kIndexDtypes))
                                                     .Input(S::kX, AnyDtype())
                                                     .Input(S::kUpdates,
                                                            AnyDtype());
template <typename T>
absl::Status SequenceScatterGradKernel(const CpuContext&, const DenseTensor& x,
                                       const DenseTensor& ids,
                                       const DenseTensor&,
                                       const DenseTensor& out_grad,
                                       DenseTensor* x_grad,
                                       DenseTensor* updates_grad) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> targets,
                      ScatterTargets(x, ids));
  if (x_grad != nullptr) {
    std::copy_n(out_grad.data<T>(), out_grad.numel(),
                x_grad->mutable_data<T>());
  }
  if (updates_grad != nullptr) {
    T* to = updates_grad->mutable_data<T>();
    for (const int64_t target : targets) *to++ = out_grad.data<T>()[target];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SCATTER_H_
