// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/mul.gen.h"
#include "phi/kernels/reference/linalg.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<MulSignature>().AllStrided();
SY_REGISTER_KERNEL(mul, reference, kernels::reference::MulKernel,
                   ReferenceContext, kSpec, int32, int64, float16, bfloat16,
                   float32, float64);

}  // namespace switchyard::phi
