// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/adamw_.gen.h"
#include "phi/kernels/reference/optimizer.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<AdamwSignature>()
        .AllStrided()
        .Input(AdamwSignature::kLearningRate, WithAnyStrides(AnyDtype()))
        .Input(AdamwSignature::kMoment1, WithAnyStrides(AnyDtype()))
        .Input(AdamwSignature::kMoment2, WithAnyStrides(AnyDtype()))
        .Input(AdamwSignature::kBeta1Pow, WithAnyStrides(AnyDtype()))
        .Input(AdamwSignature::kBeta2Pow, WithAnyStrides(AnyDtype()))
        .Input(AdamwSignature::kMoment2Max, WithAnyStrides(AnyDtype()))
        .Input(AdamwSignature::kMasterParam, WithAnyStrides(AnyDtype()))
        .Input(AdamwSignature::kSkipUpdate,
               WithAnyStrides(Fixed(DataType::kBool)));
SY_REGISTER_KERNEL(adamw, reference, kernels::reference::AdamwKernel,
                   ReferenceContext, kSpec, float32, float64, float16,
                   bfloat16);

}  // namespace switchyard::phi
