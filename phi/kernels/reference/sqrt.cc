// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sqrt.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SqrtSignature>().AllStrided();
SY_REGISTER_KERNEL(sqrt, reference, kernels::reference::SqrtKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
