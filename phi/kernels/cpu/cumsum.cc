// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/cumsum.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/cumsum.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<CumsumSignature>();

}  // namespace

SY_REGISTER_KERNEL(cumsum, cpu, kernels::CumsumKernel, CpuContext, kSpec, int32,
                   int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
