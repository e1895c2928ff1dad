// SPDX-License-Identifier: Apache-2.0
// lod_reset and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_LOD_RESET_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_LOD_RESET_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

template <typename Integer>
Offsets ReadOffsets(const DenseTensor& y) {
  return Offsets(y.data<Integer>(), y.data<Integer>() + y.numel());
}

// The sequences that x gets: those of y, else the elements of y, else
// target_lod, as offsets.
inline absl::StatusOr<LoD> TargetSequences(const DenseTensor& x,
                                           const DenseTensor* y,
                                           absl::Span<const int64_t> target_lod,
                                           bool append) {
  LoD target;
  if (y != nullptr && y->lod() != nullptr) {
    target = *y->lod();
    SY_RETURN_IF_ERROR(Annotate(Validate(target, x.extent(0)), "y"));
    return target;
  }
  Offsets last;
  if (y == nullptr) {
    last.assign(target_lod.begin(), target_lod.end());
  } else if (y->dtype() == DataType::kInt32) {
    last = ReadOffsets<int32_t>(*y);
  } else if (y->dtype() == DataType::kInt64) {
    last = ReadOffsets<int64_t>(*y);
  } else {
    return TypeError("y", "int32 or int64 without sequences", Name(y->dtype()));
  }
  if (append && x.lod() != nullptr) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
    target = *lod;
  }
  target.offsets.push_back(std::move(last));
  SY_RETURN_IF_ERROR(Validate(target, x.extent(0)));
  return target;
}

template <typename S>
inline constexpr auto kLodResetSpec = KernelSpec<S>()
                                          .Input(S::kY, AnyDtype())
                                          .Output(S::kOut,
                                                  SelfAllocated(ArgDef()));
// out: the elements of x in other sequences.
template <typename T>
absl::Status LodResetKernel(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor* y,
                            absl::Span<const int64_t> target_lod, bool append,
                            DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(LoD target, TargetSequences(x, y, target_lod, append));
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), x.shape(), out));
  std::copy_n(x.data<T>(), x.numel(), out->mutable_data<T>());
  SetLod(std::move(target), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLodResetGradSpec = KernelSpec<S>();
template <typename T>
absl::Status LodResetGradKernel(const CpuContext&, const DenseTensor&,
                                const DenseTensor& out_grad,
                                DenseTensor* x_grad) {
  if (x_grad == nullptr) return absl::OkStatus();
  std::copy_n(out_grad.data<T>(), out_grad.numel(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_LOD_RESET_H_
