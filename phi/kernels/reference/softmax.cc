// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/reference/softmax.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/softmax.gen.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SoftmaxSignature>().AllStrided();
SY_REGISTER_KERNEL(softmax, reference, kernels::reference::SoftmaxKernel,
                   ReferenceContext, kSpec, float32, float64, float16,
                   bfloat16);

}  // namespace switchyard::phi
