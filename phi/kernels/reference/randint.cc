// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/randint.gen.h"
#include "phi/kernels/reference/random.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<RandintSignature>().AllStrided().Input(
    RandintSignature::kRng, OnHost(WithAnyStrides(Fixed(DataType::kInt64))));
SY_REGISTER_KERNEL(randint, reference, kernels::reference::RandintKernel,
                   ReferenceContext, kSpec, int32, int64);

}  // namespace switchyard::phi
