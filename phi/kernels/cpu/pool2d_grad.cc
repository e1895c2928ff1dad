// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/pool2d_grad.gen.h"
#include "phi/kernels/cpu/pooling.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<Pool2dGradSignature>();

}  // namespace

SY_REGISTER_KERNEL(pool2d_grad, cpu, kernels::Pool2dGradKernel, CpuContext,
                   kSpec, float32, float64);

}  // namespace switchyard::phi
