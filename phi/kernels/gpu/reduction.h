// SPDX-License-Identifier: Apache-2.0
// The reductions on a GPU: sum, mean, prod, max, min, any, all, reduce_as.
// Inputs are contiguous.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_REDUCTION_H_
#define SWITCHYARD_PHI_KERNELS_GPU_REDUCTION_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/gpu/reduce_launch.h"
#include "phi/shapes/reduce_plan.h"

namespace switchyard::phi::kernels::gpu {

// The work: `kind` over the plan's axes, a sum divided by `divisor`.
// FailedPrecondition where there is no GPU.
absl::Status ReduceAll(const GpuContext& context, ReduceKind kind,
                       const ReducePlan& plan, DataType dtype,
                       const DenseTensor& x, double divisor, DenseTensor* out);

// The result is int64, or int32 where the attribute asks for that.
template <typename S>
inline constexpr SpecByDtype kSumSpec = {
    DataTypeSet(DataType::kBool, DataType::kInt32),
    KernelSpec<S>().Output(S::kOut, OneOf(kIndexDtypes)), KernelSpec<S>()};
template <typename T>
absl::Status SumKernel(const GpuContext& context, const DenseTensor& x,
                       absl::Span<const int64_t> axis, DataType, bool,
                       DenseTensor* out) {
  return ReduceAll(context, ReduceKind::kSum,
                   ReducePlan::OfAxes(x.shape(), axis), DataTypeOf<T>::value, x,
                   /*divisor=*/1, out);
}

template <typename S>
inline constexpr auto kMeanSpec = KernelSpec<S>();
template <typename T>
absl::Status MeanKernel(const GpuContext& context, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool,
                        DenseTensor* out) {
  const ReducePlan plan = ReducePlan::OfAxes(x.shape(), axis);
  return ReduceAll(context, ReduceKind::kSum, plan, DataTypeOf<T>::value, x,
                   static_cast<double>(plan.reduced), out);
}

template <typename S>
inline constexpr auto kReduceAsSpec =
    KernelSpec<S>().Input(S::kTarget, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ReduceAsKernel(const GpuContext& context, const DenseTensor& x,
                            const DenseTensor& target, DenseTensor* out) {
  return ReduceAll(
      context, ReduceKind::kSum,
      ReducePlan::ToShape(x.shape(), target.shape(), x.rank() - target.rank()),
      DataTypeOf<T>::value, x, /*divisor=*/1, out);
}

// The reductions that take axes alone.
#define SY_GPU_REDUCTION(Name)                                               \
  template <typename T>                                                      \
  absl::Status Name##Kernel(const GpuContext& context, const DenseTensor& x, \
                            absl::Span<const int64_t> axis, bool,            \
                            DenseTensor* out) {                              \
    return ReduceAll(context, ReduceKind::k##Name,                           \
                     ReducePlan::OfAxes(x.shape(), axis),                    \
                     DataTypeOf<T>::value, x, /*divisor=*/1, out);           \
  }
template <typename S>
inline constexpr auto kProdSpec = KernelSpec<S>();
SY_GPU_REDUCTION(Prod)
template <typename S>
inline constexpr auto kMaxSpec = KernelSpec<S>();
SY_GPU_REDUCTION(Max)
template <typename S>
inline constexpr auto kMinSpec = KernelSpec<S>();
SY_GPU_REDUCTION(Min)
template <typename S>
inline constexpr auto kAnySpec = KernelSpec<S>().Output(S::kOut,
                                                        Fixed(DataType::kBool));
SY_GPU_REDUCTION(Any)
template <typename S>
inline constexpr auto kAllSpec = KernelSpec<S>().Output(S::kOut,
                                                        Fixed(DataType::kBool));
SY_GPU_REDUCTION(All)
#undef SY_GPU_REDUCTION

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_REDUCTION_H_
