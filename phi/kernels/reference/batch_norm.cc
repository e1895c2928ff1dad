// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/batch_norm.gen.h"
#include "phi/kernels/reference/normalization.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<BatchNormSignature>()
        .AllStrided()
        .Input(BatchNormSignature::kMean, WithAnyStrides(AnyDtype()))
        .Input(BatchNormSignature::kVariance, WithAnyStrides(AnyDtype()))
        .Input(BatchNormSignature::kScale, WithAnyStrides(AnyDtype()))
        .Input(BatchNormSignature::kBias, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(batch_norm, reference, kernels::reference::BatchNormKernel,
                   ReferenceContext, kSpec, float32, float64, float16,
                   bfloat16);

}  // namespace switchyard::phi
