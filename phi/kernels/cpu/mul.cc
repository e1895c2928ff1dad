// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/mul.gen.h"
#include "phi/kernels/cpu/matmul.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<MulSignature>();

}  // namespace

SY_REGISTER_KERNEL(mul, cpu, kernels::MulKernel, CpuContext, kSpec, int32,
                   int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
