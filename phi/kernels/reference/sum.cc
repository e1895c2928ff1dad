// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sum.gen.h"
#include "phi/kernels/reference/reduction.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<SumSignature>().AllStrided();
SY_REGISTER_KERNEL(sum, reference, kernels::reference::SumKernel,
                   ReferenceContext, kSpec, float32, float64, int64);
// int32 is summed as int64.
constexpr auto kWideningSpec =
    kSpec.Output(SumSignature::kOut, Fixed(DataType::kInt64));
SY_REGISTER_KERNEL(sum, reference, kernels::reference::SumKernel,
                   ReferenceContext, kWideningSpec, int32);

}  // namespace switchyard::phi
