// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/scatter.gen.h"
#include "phi/kernels/cpu/indexing.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ScatterSignature>().Input(
    ScatterSignature::kIndex,
    OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)));

}  // namespace

SY_REGISTER_KERNEL(scatter, cpu, kernels::ScatterKernel, CpuContext, kSpec,
                   int32, int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
