// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/batch_norm.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/batch_norm.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<BatchNormSignature>()
                           .Input(BatchNormSignature::kMean, AnyDtype())
                           .Input(BatchNormSignature::kVariance, AnyDtype())
                           .Input(BatchNormSignature::kScale, AnyDtype())
                           .Input(BatchNormSignature::kBias, AnyDtype());

}  // namespace

SY_REGISTER_KERNEL(batch_norm, cpu, kernels::BatchNormKernel, CpuContext, kSpec,
                   float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
