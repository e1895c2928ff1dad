// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sign.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SignSignature>().AllStrided();
SY_REGISTER_KERNEL(sign, reference, kernels::reference::SignKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
