// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/adam_.gen.h"
#include "phi/kernels/reference/optimizer.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<AdamSignature>()
        .AllStrided()
        .Input(AdamSignature::kLearningRate, WithAnyStrides(AnyDtype()))
        .Input(AdamSignature::kMoment1, WithAnyStrides(AnyDtype()))
        .Input(AdamSignature::kMoment2, WithAnyStrides(AnyDtype()))
        .Input(AdamSignature::kBeta1Pow, WithAnyStrides(AnyDtype()))
        .Input(AdamSignature::kBeta2Pow, WithAnyStrides(AnyDtype()))
        .Input(AdamSignature::kMoment2Max, WithAnyStrides(AnyDtype()))
        .Input(AdamSignature::kMasterParam, WithAnyStrides(AnyDtype()))
        .Input(AdamSignature::kSkipUpdate,
               WithAnyStrides(Fixed(DataType::kBool)));
SY_REGISTER_KERNEL(adam, reference, kernels::reference::AdamKernel,
                   ReferenceContext, kSpec, float32, float64, float16,
                   bfloat16);

}  // namespace switchyard::phi
