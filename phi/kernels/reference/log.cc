// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/log.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<LogSignature>().AllStrided();
SY_REGISTER_KERNEL(log, reference, kernels::reference::LogKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
