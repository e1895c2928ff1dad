// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/square.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SquareSignature>().AllStrided();
SY_REGISTER_KERNEL(square, reference, kernels::reference::SquareKernel,
                   ReferenceContext, kSpec, float32, float64, int32, int64);

}  // namespace switchyard::phi
