// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/batch_norm_grad.gen.h"
#include "phi/kernels/cpu/batch_norm.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec =
    KernelSpec<BatchNormGradSignature>()
        .Input(BatchNormGradSignature::kScale, AnyDtype())
        .Input(BatchNormGradSignature::kBias, WithAnyStrides(AnyDtype()))
        .Input(BatchNormGradSignature::kSavedMean, AnyDtype())
        .Input(BatchNormGradSignature::kSavedVariance, AnyDtype());

}  // namespace

SY_REGISTER_KERNEL(batch_norm_grad, cpu, kernels::BatchNormGradKernel,
                   CpuContext, kSpec, float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
