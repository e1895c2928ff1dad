// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/conv2d_grad.gen.h"
#include "phi/kernels/cpu/conv.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<Conv2dGradSignature>();

}  // namespace

SY_REGISTER_KERNEL(conv2d_grad, cpu, kernels::ConvGradKernel, CpuContext, kSpec,
                   float32, float64);

}  // namespace switchyard::phi
