// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/layer_norm_grad.gen.h"
#include "phi/kernels/reference/normalization.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<LayerNormGradSignature>()
        .AllStrided()
        .Input(LayerNormGradSignature::kScale, WithAnyStrides(AnyDtype()))
        .Input(LayerNormGradSignature::kBias, WithAnyStrides(AnyDtype()))
        .Input(LayerNormGradSignature::kMean, WithAnyStrides(AnyDtype()))
        .Input(LayerNormGradSignature::kVariance, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(layer_norm_grad, reference,
                   kernels::reference::LayerNormGradKernel, ReferenceContext,
                   kSpec, float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
