// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/dropout_grad.gen.h"
#include "phi/kernels/reference/nn.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<DropoutGradSignature>().AllStrided().Input(
    DropoutGradSignature::kMask, WithAnyStrides(Fixed(DataType::kUInt8)));
SY_REGISTER_KERNEL(dropout_grad, reference,
                   kernels::reference::DropoutGradKernel, ReferenceContext,
                   kSpec, float32, float64);

}  // namespace switchyard::phi
