// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/embedding_grad.gen.h"
#include "phi/kernels/cpu/embedding.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec =
    KernelSpec<EmbeddingGradSignature>()
        .Input(EmbeddingGradSignature::kX,
               OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)))
        .Input(EmbeddingGradSignature::kWeight, WithAnyStrides(AnyDtype()));

}  // namespace

SY_REGISTER_KERNEL(embedding_grad, cpu, kernels::EmbeddingGradKernel,
                   CpuContext, kSpec, float32, float64);

}  // namespace switchyard::phi
