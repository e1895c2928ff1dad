// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/full_like.gen.h"
#include "phi/kernels/reference/move.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<FullLikeSignature>().AllStrided().Input(
    FullLikeSignature::kX, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(full_like, reference, kernels::reference::FullLikeKernel,
                   ReferenceContext, kSpec, bool, uint8, int8, int32, int64,
                   float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
