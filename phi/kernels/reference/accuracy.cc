// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/accuracy.gen.h"
#include "phi/kernels/reference/nn.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<AccuracySignature>()
        .AllStrided()
        .Input(AccuracySignature::kX, WithAnyStrides(AnyDtype()))
        .Input(AccuracySignature::kIndices, WithAnyStrides(AnyDtype()))
        .Input(AccuracySignature::kLabel, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(accuracy, reference, kernels::reference::AccuracyKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
