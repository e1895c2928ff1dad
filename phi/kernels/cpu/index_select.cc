// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/index_select.gen.h"
#include "phi/kernels/cpu/indexing.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<IndexSelectSignature>().Input(
    IndexSelectSignature::kIndex,
    OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)));

}  // namespace

SY_REGISTER_KERNEL(index_select, cpu, kernels::IndexSelectKernel, CpuContext,
                   kSpec, bool, uint8, int8, int32, int64, float16, bfloat16,
                   float32, float64);

}  // namespace switchyard::phi
