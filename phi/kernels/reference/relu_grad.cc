// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/relu_grad.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ReluGradSignature>().AllStrided();
SY_REGISTER_KERNEL(relu_grad, reference, kernels::reference::ReluGradKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
