// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/batch_norm_grad.gen.h"
#include "phi/kernels/reference/normalization.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<BatchNormGradSignature>()
        .AllStrided()
        .Input(BatchNormGradSignature::kScale, WithAnyStrides(AnyDtype()))
        .Input(BatchNormGradSignature::kBias, WithAnyStrides(AnyDtype()))
        .Input(BatchNormGradSignature::kSavedMean, WithAnyStrides(AnyDtype()))
        .Input(BatchNormGradSignature::kSavedVariance,
               WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(batch_norm_grad, reference,
                   kernels::reference::BatchNormGradKernel, ReferenceContext,
                   kSpec, float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
