// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/layer_norm.gen.h"
#include "phi/kernels/reference/normalization.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<LayerNormSignature>()
        .AllStrided()
        .Input(LayerNormSignature::kScale, WithAnyStrides(AnyDtype()))
        .Input(LayerNormSignature::kBias, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(layer_norm, reference, kernels::reference::LayerNormKernel,
                   ReferenceContext, kSpec, float32, float64, float16,
                   bfloat16);

}  // namespace switchyard::phi
