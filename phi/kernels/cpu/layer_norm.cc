// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/layer_norm.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/layer_norm.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<LayerNormSignature>()
                           .Input(LayerNormSignature::kScale, AnyDtype())
                           .Input(LayerNormSignature::kBias, AnyDtype());

}  // namespace

SY_REGISTER_KERNEL(layer_norm, cpu, kernels::LayerNormKernel, CpuContext, kSpec,
                   float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
