// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/embedding.gen.h"
#include "phi/kernels/reference/nn.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<EmbeddingSignature>().AllStrided().Input(
    EmbeddingSignature::kX,
    WithAnyStrides(OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64))));
SY_REGISTER_KERNEL(embedding, reference, kernels::reference::EmbeddingKernel,
                   ReferenceContext, kSpec, float32, float64, float16, bfloat16,
                   int8);

}  // namespace switchyard::phi
