// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/trace.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/trace.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<TraceSignature>().AllStrided();

}  // namespace

SY_REGISTER_KERNEL(trace, cpu, kernels::TraceKernel, CpuContext, kSpec, int32,
                   int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
