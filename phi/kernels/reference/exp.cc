// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/exp.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ExpSignature>().AllStrided();
SY_REGISTER_KERNEL(exp, reference, kernels::reference::ExpKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
