// SPDX-License-Identifier: Apache-2.0
// The kernels of sum, mean, max, min and reduce_as on the CPU, whose inputs
// have any strides. Those of prod: phi/kernels/cpu/reduction/reduce_product.h;
// of any and all: phi/kernels/cpu/reduction/reduce_logical.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_KERNELS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_KERNELS_H_

#include <type_traits>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/reduction/reduce_strided.h"

namespace switchyard::phi::kernels::cpu {

// bool and int32 are summed as int64 unless `dtype` says int32.
template <typename S>
inline constexpr SpecByDtype kSumSpec = {
    DataTypeSet(DataType::kBool, DataType::kInt32),
    KernelSpec<S>()
        .Input(S::kX, AnyStrides())
        .Output(S::kOut, OneOf(kIndexDtypes)),
    KernelSpec<S>().Input(S::kX, AnyStrides())};
template <typename T>
absl::Status SumKernel(const CpuContext& context, const DenseTensor& x,
                       absl::Span<const int64_t> axis, DataType, bool,
                       DenseTensor* out) {
  const ReducePlan plan = ReducePlan::OfAxes(x.shape(), axis);
  if constexpr (std::is_integral_v<T>) {
    // int32 stays int32 only where the attribute asks for it.
    if (out->dtype() == DataType::kInt32) {
      return ReduceTensor<SumReduction<T, int32_t>, T>(
          context, plan, x, out->mutable_data<int32_t>());
    }
  }
  using R = SumReduction<T>;
  return ReduceTensor<R, T>(context, plan, x,
                            out->mutable_data<typename R::Out>());
}

template <typename S>
inline constexpr auto kMeanSpec = KernelSpec<S>().Input(S::kX, AnyStrides());
template <typename T>
absl::Status MeanKernel(const CpuContext& context, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool,
                        DenseTensor* out) {
  const ReducePlan plan = ReducePlan::OfAxes(x.shape(), axis);
  MeanReduction<T> mean;
  mean.count = static_cast<double>(plan.reduced);
  return ReduceTensor<MeanReduction<T>, T>(context, plan, x,
                                           out->mutable_data<T>(), mean);
}

template <typename S>
inline constexpr auto kMaxSpec = KernelSpec<S>().Input(S::kX, AnyStrides());
template <typename T>
absl::Status MaxKernel(const CpuContext& context, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  return ReduceTensor<ExtremeReduction<T, true>, T>(
      context, ReducePlan::OfAxes(x.shape(), axis), x, out->mutable_data<T>());
}

// MaxKernel under the name of an operator with another gradient.
template <typename S>
inline constexpr auto kAmaxSpec = KernelSpec<S>().Input(S::kX, AnyStrides());
template <typename T>
absl::Status AmaxKernel(const CpuContext& context, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool keepdim,
                        DenseTensor* out) {
  return MaxKernel<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kMinSpec = KernelSpec<S>().Input(S::kX, AnyStrides());
template <typename T>
absl::Status MinKernel(const CpuContext& context, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  return ReduceTensor<ExtremeReduction<T, false>, T>(
      context, ReducePlan::OfAxes(x.shape(), axis), x, out->mutable_data<T>());
}

// MinKernel under the name of an operator with another gradient.
template <typename S>
inline constexpr auto kAminSpec = KernelSpec<S>().Input(S::kX, AnyStrides());
template <typename T>
absl::Status AminKernel(const CpuContext& context, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool keepdim,
                        DenseTensor* out) {
  return MinKernel<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kReduceAsSpec = KernelSpec<S>()
                                          .Input(S::kX, AnyStrides())
                                          .Input(S::kTarget,
                                                 WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ReduceAsKernel(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor& target, DenseTensor* out) {
  const ReducePlan plan =
      ReducePlan::ToShape(x.shape(), target.shape(), x.rank() - target.rank());
  if (plan.reduced == 1) {
    // Programs of unknown shapes ask for a sum where there is none.
    CopyStrided(sizeof(T), x.shape(), x.data<T>(), x.strides(),
                out->mutable_data<T>(), ContiguousStrides(x.shape()));
    return absl::OkStatus();
  }
  return ReduceTensor<SumReduction<T>, T>(context, plan, x,
                                          out->mutable_data<T>());
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_KERNELS_H_
