// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/cross_entropy_with_softmax.gen.h"
#include "phi/kernels/reference/cross_entropy.h"

namespace switchyard::phi {

constexpr auto kSpec =
    KernelSpec<CrossEntropyWithSoftmaxSignature>().AllStrided().Input(
        CrossEntropyWithSoftmaxSignature::kLabel, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(cross_entropy_with_softmax, reference,
                   kernels::reference::CrossEntropyKernel, ReferenceContext,
                   kSpec, float32, float64);

}  // namespace switchyard::phi
