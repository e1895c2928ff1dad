// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/dropout.gen.h"
#include "phi/kernels/reference/nn.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<DropoutSignature>()
        .AllStrided()
        .Input(DropoutSignature::kRng,
               OnHost(WithAnyStrides(Fixed(DataType::kInt64))))
        .Output(DropoutSignature::kMask, Fixed(DataType::kUInt8));
SY_REGISTER_KERNEL(dropout, reference, kernels::reference::DropoutKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
