// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sum.gen.h"
#include "phi/kernels/reference/reduction.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<SumSignature>().AllStrided();
// bool and int32 are summed as int64 unless `dtype` says int32.
constexpr auto kWideningSpec = kSpec.Output(
    SumSignature::kOut, OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)));

}  // namespace

SY_REGISTER_KERNEL(sum, reference, kernels::reference::SumKernel,
                   ReferenceContext, kSpec, int64, float16, bfloat16, float32,
                   float64);
SY_REGISTER_KERNEL(sum, reference, kernels::reference::SumKernel,
                   ReferenceContext, kWideningSpec, bool, int32);

}  // namespace switchyard::phi
