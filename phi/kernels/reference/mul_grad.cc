// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/mul_grad.gen.h"
#include "phi/kernels/reference/linalg.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<MulGradSignature>().AllStrided();
SY_REGISTER_KERNEL(mul_grad, reference, kernels::reference::MulGradKernel,
                   ReferenceContext, kSpec, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
