// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/slice_grad.gen.h"
#include "phi/kernels/reference/move.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SliceGradSignature>().AllStrided().Input(
    SliceGradSignature::kInput, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(slice_grad, reference, kernels::reference::SliceGradKernel,
                   ReferenceContext, kSpec, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
