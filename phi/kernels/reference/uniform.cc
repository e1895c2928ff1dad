// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/uniform.gen.h"
#include "phi/kernels/reference/random.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<UniformSignature>().AllStrided().Input(
    UniformSignature::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))));
SY_REGISTER_KERNEL(uniform, reference, kernels::reference::UniformKernel,
                   ReferenceContext, kSpec, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
