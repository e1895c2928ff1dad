// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/pool2d.gen.h"
#include "phi/kernels/cpu/pooling.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<Pool2dSignature>();

}  // namespace

SY_REGISTER_KERNEL(pool2d, cpu, kernels::Pool2dKernel, CpuContext, kSpec,
                   float32, float64, int8, uint8);

}  // namespace switchyard::phi
