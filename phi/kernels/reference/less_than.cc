// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/less_than.gen.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<LessThanSignature>().AllStrided().Output(
    LessThanSignature::kOut, Fixed(DataType::kBool));
SY_REGISTER_KERNEL(less_than, reference, kernels::reference::LessThanKernel,
                   ReferenceContext, kSpec, bool, float32, float64, int32,
                   int64);

}  // namespace switchyard::phi
