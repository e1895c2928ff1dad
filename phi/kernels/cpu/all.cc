// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/all.gen.h"
#include "phi/kernels/cpu/reduce_logical.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<AllSignature>().Output(
    AllSignature::kOut, Fixed(DataType::kBool));

}  // namespace

SY_REGISTER_KERNEL(all, cpu, kernels::AllKernel, CpuContext, kSpec, bool, uint8,
                   int8, int32, int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
