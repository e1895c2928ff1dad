// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sum.gen.h"
#include "phi/kernels/cpu/reduce.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<SumSignature>();
// int32 is summed as int64.
constexpr auto kWideningSpec =
    kSpec.Output(SumSignature::kOut, Fixed(DataType::kInt64));

}  // namespace

SY_REGISTER_KERNEL(sum, cpu, kernels::SumKernel, CpuContext, kSpec, float32,
                   float64, int64);
SY_REGISTER_KERNEL(sum, cpu, kernels::SumKernel, CpuContext, kWideningSpec,
                   int32);

}  // namespace switchyard::phi
