// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/softmax_grad.gen.h"
#include "phi/kernels/reference/softmax.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SoftmaxGradSignature>().AllStrided();
SY_REGISTER_KERNEL(softmax_grad, reference,
                   kernels::reference::SoftmaxGradKernel, ReferenceContext,
                   kSpec, float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
