// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/reduce_as.gen.h"
#include "phi/kernels/reference/reduction.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ReduceAsSignature>().AllStrided().Input(
    ReduceAsSignature::kTarget, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(reduce_as, reference, kernels::reference::ReduceAsKernel,
                   ReferenceContext, kSpec, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
