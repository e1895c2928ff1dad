// SPDX-License-Identifier: Apache-2.0
// cast on a GPU, to the dtypes that numbers are computed in on every device.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_CAST_H_
#define SWITCHYARD_PHI_KERNELS_GPU_CAST_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

// The work, from `dtype`. FailedPrecondition where there is no GPU.
absl::Status ConvertAll(const GpuContext& context, const DenseTensor& x,
                        DataType dtype, DenseTensor* out);

template <typename S>
constexpr Condition CastsTo(DataType dtype) {
  return AttrEquals(S::kDtype, static_cast<int64_t>(dtype));
}
// Without unsigned integers of more than a byte, and complex numbers.
template <typename S>
inline constexpr auto kCastSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, AnyDtype())
        .When(AnyOf(CastsTo<S>(DataType::kBool), CastsTo<S>(DataType::kUInt8),
                    CastsTo<S>(DataType::kInt8), CastsTo<S>(DataType::kInt16),
                    CastsTo<S>(DataType::kInt32), CastsTo<S>(DataType::kInt64),
                    CastsTo<S>(DataType::kFloat16),
                    CastsTo<S>(DataType::kBFloat16),
                    CastsTo<S>(DataType::kFloat32),
                    CastsTo<S>(DataType::kFloat64)));
template <typename T>
absl::Status CastKernel(const GpuContext& context, const DenseTensor& x,
                        DataType, DenseTensor* out) {
  return ConvertAll(context, x, DataTypeOf<T>::value, out);
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_CAST_H_
