// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/elementwise_add_grad.gen.h"
#include "phi/kernels/reference/legacy.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ElementwiseAddGradSignature>().AllStrided();
SY_REGISTER_KERNEL(elementwise_add_grad, reference,
                   kernels::reference::ElementwiseAddGradKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
