// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/log_softmax.gen.h"
#include "phi/kernels/reference/softmax.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<LogSoftmaxSignature>().AllStrided();
SY_REGISTER_KERNEL(log_softmax, reference, kernels::reference::LogSoftmaxKernel,
                   ReferenceContext, kSpec, float32, float64, float16,
                   bfloat16);

}  // namespace switchyard::phi
