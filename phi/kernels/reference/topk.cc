// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/topk.gen.h"
#include "phi/kernels/reference/ordering.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<TopkSignature>().AllStrided().Output(
    TopkSignature::kIndices, Fixed(DataType::kInt64));
SY_REGISTER_KERNEL(topk, reference, kernels::reference::TopkKernel,
                   ReferenceContext, kSpec, int32, int64, float16, bfloat16,
                   float32, float64);

}  // namespace switchyard::phi
