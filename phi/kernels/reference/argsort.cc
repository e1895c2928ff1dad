// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/argsort.gen.h"
#include "phi/kernels/reference/ordering.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ArgsortSignature>().AllStrided().Output(
    ArgsortSignature::kIndices, Fixed(DataType::kInt64));
SY_REGISTER_KERNEL(argsort, reference, kernels::reference::ArgsortKernel,
                   ReferenceContext, kSpec, int32, int64, float16, bfloat16,
                   float32, float64);

}  // namespace switchyard::phi
