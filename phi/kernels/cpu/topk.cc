// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/topk.gen.h"
#include "phi/kernels/cpu/order.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<TopkSignature>().Output(
    TopkSignature::kIndices, Fixed(DataType::kInt64));

}  // namespace

SY_REGISTER_KERNEL(topk, cpu, kernels::TopkKernel, CpuContext, kSpec, int32,
                   int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
