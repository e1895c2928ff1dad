// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/scale.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ScaleSignature>().AllStrided();
SY_REGISTER_KERNEL(scale, reference, kernels::reference::ScaleKernel,
                   ReferenceContext, kSpec, float32, float64, int32, int64);

}  // namespace switchyard::phi
