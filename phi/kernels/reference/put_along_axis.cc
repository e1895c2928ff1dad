// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/put_along_axis.gen.h"
#include "phi/kernels/reference/indexing.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<PutAlongAxisSignature>().AllStrided().Input(
    PutAlongAxisSignature::kIndices,
    WithAnyStrides(OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64))));
SY_REGISTER_KERNEL(put_along_axis, reference,
                   kernels::reference::PutAlongAxisKernel, ReferenceContext,
                   kSpec, int32, int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
