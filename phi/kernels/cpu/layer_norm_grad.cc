// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/layer_norm_grad.gen.h"
#include "phi/kernels/cpu/layer_norm.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec =
    KernelSpec<LayerNormGradSignature>()
        .Input(LayerNormGradSignature::kScale, AnyDtype())
        .Input(LayerNormGradSignature::kBias, WithAnyStrides(AnyDtype()))
        .Input(LayerNormGradSignature::kMean, AnyDtype())
        .Input(LayerNormGradSignature::kVariance, AnyDtype());

}  // namespace

SY_REGISTER_KERNEL(layer_norm_grad, cpu, kernels::LayerNormGradKernel,
                   CpuContext, kSpec, float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
