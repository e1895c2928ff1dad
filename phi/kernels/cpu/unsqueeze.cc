// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/unsqueeze.gen.h"
#include "phi/kernels/neutral/view.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<UnsqueezeSignature>().AllStrided();

}  // namespace

SY_REGISTER_KERNEL(unsqueeze, cpu, kernels::UnsqueezeKernel, CpuContext, kSpec,
                   bool, uint8, int8, int32, int64, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
