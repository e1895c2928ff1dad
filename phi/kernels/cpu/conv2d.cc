// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/conv2d.gen.h"
#include "phi/kernels/cpu/conv.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<Conv2dSignature>();

}  // namespace

SY_REGISTER_KERNEL(conv2d, cpu, kernels::ConvKernel, CpuContext, kSpec, float32,
                   float64);

}  // namespace switchyard::phi
