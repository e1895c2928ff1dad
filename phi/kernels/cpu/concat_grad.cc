// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/concat_grad.gen.h"
#include "phi/kernels/cpu/move.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ConcatGradSignature>().AllStrided();

}  // namespace

SY_REGISTER_KERNEL(concat_grad, cpu, kernels::ConcatGradKernel, CpuContext,
                   kSpec, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
