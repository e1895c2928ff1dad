// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/momentum_.gen.h"
#include "phi/kernels/reference/optimizer.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<MomentumSignature>()
        .AllStrided()
        .Input(MomentumSignature::kLearningRate, WithAnyStrides(AnyDtype()))
        .Input(MomentumSignature::kVelocity, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(momentum, reference, kernels::reference::MomentumKernel,
                   ReferenceContext, kSpec, float32, float64, float16,
                   bfloat16);

}  // namespace switchyard::phi
