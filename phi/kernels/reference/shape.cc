// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/shape.gen.h"
#include "phi/kernels/reference/creation.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<ShapeSignature>().AllStrided().Input(
    ShapeSignature::kInput, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(shape, reference, kernels::reference::ShapeKernel,
                   ReferenceContext, kSpec, int64);

}  // namespace switchyard::phi
