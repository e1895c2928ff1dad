// SPDX-License-Identifier: Apache-2.0
// cast on a GPU: between all dtypes but complex ones.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_CAST_H_
#define SWITCHYARD_PHI_KERNELS_GPU_CAST_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

// The work, from `dtype`. FailedPrecondition where there is no GPU.
absl::Status ConvertAll(const GpuContext& context, const DenseTensor& x,
                        DataType dtype, DenseTensor* out);

template <typename S>
inline constexpr auto kCastSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status CastKernel(const GpuContext& context, const DenseTensor& x,
                        DataType dtype, DenseTensor* out) {
  if (IsComplex(dtype)) {
    return TypeError("dtype", "not complex on a GPU", Name(dtype));
  }
  return ConvertAll(context, x, DataTypeOf<T>::value, out);
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_CAST_H_
