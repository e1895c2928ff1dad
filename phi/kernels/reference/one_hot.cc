// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/one_hot.gen.h"
#include "phi/kernels/reference/creation.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<OneHotSignature>().AllStrided().Output(
    OneHotSignature::kOut, Fixed(DataType::kFloat32));
SY_REGISTER_KERNEL(one_hot, reference, kernels::reference::OneHotKernel,
                   ReferenceContext, kSpec, int32, int64);

}  // namespace switchyard::phi
