// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/max_grad.gen.h"
#include "phi/kernels/reference/reduction.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<MaxGradSignature>().AllStrided();
SY_REGISTER_KERNEL(max_grad, reference, kernels::reference::MaxGradKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
