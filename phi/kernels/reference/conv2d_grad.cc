// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/conv2d_grad.gen.h"
#include "phi/kernels/reference/conv.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<Conv2dGradSignature>().AllStrided();
SY_REGISTER_KERNEL(conv2d_grad, reference, kernels::reference::ConvGradKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
