// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/softmax_grad.gen.h"
#include "phi/kernels/cpu/softmax_lines.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<SoftmaxGradSignature>();

}  // namespace

SY_REGISTER_KERNEL(softmax_grad, cpu, kernels::SoftmaxGradKernel, CpuContext,
                   kSpec, float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
