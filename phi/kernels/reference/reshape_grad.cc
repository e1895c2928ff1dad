// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/reshape_grad.gen.h"
#include "phi/kernels/neutral/view.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ReshapeGradSignature>().Input(
    ReshapeGradSignature::kX, WithAnyStrides(AnyDtype()));

}  // namespace

SY_REGISTER_KERNEL(reshape_grad, reference, kernels::ReshapeGradKernel,
                   ReferenceContext, kSpec, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
