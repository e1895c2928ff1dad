// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/concat_grad.gen.h"
#include "phi/kernels/reference/move.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ConcatGradSignature>().AllStrided();
SY_REGISTER_KERNEL(concat_grad, reference, kernels::reference::ConcatGradKernel,
                   ReferenceContext, kSpec, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
