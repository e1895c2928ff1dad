// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/matmul.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/matmul.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<MatmulSignature>().AllStrided();

}  // namespace

SY_REGISTER_KERNEL(matmul, cpu, kernels::MatmulKernel, CpuContext, kSpec, int32,
                   int64, float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
