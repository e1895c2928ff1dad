// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/elementwise_add.gen.h"
#include "phi/kernels/reference/legacy.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ElementwiseAddSignature>().AllStrided();
SY_REGISTER_KERNEL(elementwise_add, reference,
                   kernels::reference::ElementwiseAddKernel, ReferenceContext,
                   kSpec, int8, int32, int64, float32, float64);

}  // namespace switchyard::phi
