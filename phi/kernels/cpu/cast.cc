// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/cast.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/cast.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<CastSignature>().AllStrided().Output(
    CastSignature::kOut, AnyDtype());

}  // namespace

SY_REGISTER_KERNEL(cast, cpu, kernels::CastKernel, CpuContext, kSpec, bool,
                   uint8, int8, int32, int64, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
