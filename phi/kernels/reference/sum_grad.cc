// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sum_grad.gen.h"
#include "phi/kernels/reference/reduction.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SumGradSignature>().AllStrided().Input(
    SumGradSignature::kX, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(sum_grad, reference, kernels::reference::SumGradKernel,
                   ReferenceContext, kSpec, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
