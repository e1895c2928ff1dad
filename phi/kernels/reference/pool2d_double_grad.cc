// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/pool2d_double_grad.gen.h"
#include "phi/kernels/reference/pooling.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<Pool2dDoubleGradSignature>().AllStrided();
SY_REGISTER_KERNEL(pool2d_double_grad, reference,
                   kernels::reference::Pool2dDoubleGradKernel, ReferenceContext,
                   kSpec, float32, float64);

}  // namespace switchyard::phi
