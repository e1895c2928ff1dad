// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/matmul.gen.h"
#include "phi/kernels/reference/linalg.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<MatmulSignature>().AllStrided();
SY_REGISTER_KERNEL(matmul, reference, kernels::reference::MatmulKernel,
                   ReferenceContext, kSpec, int32, int64, float32, float64,
                   float16, bfloat16);

}  // namespace switchyard::phi
