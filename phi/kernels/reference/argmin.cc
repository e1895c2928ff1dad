// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/argmin.gen.h"
#include "phi/kernels/reference/reduction.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ArgminSignature>().AllStrided().Output(
    ArgminSignature::kOut,
    OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)));
SY_REGISTER_KERNEL(argmin, reference, kernels::reference::ArgminKernel,
                   ReferenceContext, kSpec, uint8, int8, int32, int64, float16,
                   bfloat16, float32, float64);

}  // namespace switchyard::phi
