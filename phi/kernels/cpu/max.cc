// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/max.gen.h"
#include "phi/kernels/cpu/reduce.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<MaxSignature>();

}  // namespace

SY_REGISTER_KERNEL(max, cpu, kernels::MaxKernel, CpuContext, kSpec, int32,
                   int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
