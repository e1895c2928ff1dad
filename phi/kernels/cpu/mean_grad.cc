// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/mean_grad.gen.h"
#include "phi/kernels/cpu/reduce_grad.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<MeanGradSignature>().Input(
    MeanGradSignature::kX, WithAnyStrides(AnyDtype()));

}  // namespace

SY_REGISTER_KERNEL(mean_grad, cpu, kernels::MeanGradKernel, CpuContext, kSpec,
                   float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
