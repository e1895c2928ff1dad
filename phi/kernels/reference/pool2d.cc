// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/pool2d.gen.h"
#include "phi/kernels/reference/pooling.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<Pool2dSignature>().AllStrided();
SY_REGISTER_KERNEL(pool2d, reference, kernels::reference::Pool2dKernel,
                   ReferenceContext, kSpec, float32, float64, int8, uint8);

}  // namespace switchyard::phi
