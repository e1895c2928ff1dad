// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/lookup_table.gen.h"
#include "phi/kernels/reference/nn.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<LookupTableSignature>().AllStrided().Input(
    LookupTableSignature::kIds, WithAnyStrides(Fixed(DataType::kInt64)));
SY_REGISTER_KERNEL(lookup_table, reference,
                   kernels::reference::LookupTableKernel, ReferenceContext,
                   kSpec, int8, float32, float64);

}  // namespace switchyard::phi
