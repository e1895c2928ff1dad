// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/embedding.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/embedding.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<EmbeddingSignature>().Input(
    EmbeddingSignature::kX,
    OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)));

}  // namespace

SY_REGISTER_KERNEL(embedding, cpu, kernels::EmbeddingKernel, CpuContext, kSpec,
                   float32, float64, float16, bfloat16, int8);

}  // namespace switchyard::phi
