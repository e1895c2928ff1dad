// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/gather.gen.h"
#include "phi/kernels/reference/indexing.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<GatherSignature>().AllStrided().Input(
    GatherSignature::kIndex,
    WithAnyStrides(OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64))));
SY_REGISTER_KERNEL(gather, reference, kernels::reference::GatherKernel,
                   ReferenceContext, kSpec, bool, uint8, int8, int32, int64,
                   float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
