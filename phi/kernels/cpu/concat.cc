// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/concat.gen.h"
#include "phi/kernels/cpu/move.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ConcatSignature>().AllStrided();

}  // namespace

SY_REGISTER_KERNEL(concat, cpu, kernels::ConcatKernel, CpuContext, kSpec, bool,
                   uint8, int8, int32, int64, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
