// SPDX-License-Identifier: Apache-2.0
// The kernels of any and all on the CPU. What an element is counts by its size:
// it is 0 if the bits under a mask are, which for floating numbers leaves out
// the sign.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_LOGICAL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_LOGICAL_H_

#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/shapes/reduce_plan.h"

namespace switchyard::phi::kernels::cpu {

// out[o]: whether an element of x for it is not 0 (`any`), or every one (else).
absl::Status ReduceLogical(const CpuContext& context, const ReducePlan& plan,
                           const DenseTensor& x, bool any, DenseTensor* out);

template <typename S>
inline constexpr auto kAnySpec = KernelSpec<S>()
                                     .Input(S::kX, AnyStrides())
                                     .Output(S::kOut, Fixed(DataType::kBool));
template <typename T>
absl::Status AnyKernel(const CpuContext& context, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  return ReduceLogical(context, ReducePlan::OfAxes(x.shape(), axis), x,
                       /*any=*/true, out);
}

template <typename S>
inline constexpr auto kAllSpec = KernelSpec<S>()
                                     .Input(S::kX, AnyStrides())
                                     .Output(S::kOut, Fixed(DataType::kBool));
template <typename T>
absl::Status AllKernel(const CpuContext& context, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  return ReduceLogical(context, ReducePlan::OfAxes(x.shape(), axis), x,
                       /*any=*/false, out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_LOGICAL_H_
