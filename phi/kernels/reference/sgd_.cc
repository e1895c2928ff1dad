// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sgd_.gen.h"
#include "phi/kernels/reference/optimizer.h"

namespace switchyard::phi {

constexpr auto kSgdSpec = KernelSpec<SgdSignature>().AllStrided().Input(
    SgdSignature::kLearningRate, WithAnyStrides(AnyDtype()));
SY_REGISTER_KERNEL(sgd, reference, kernels::reference::SgdKernel,
                   ReferenceContext, kSgdSpec, float32, float64, float16,
                   bfloat16);
constexpr auto kSgdSelectedRowsSpec =
    KernelSpec<SgdSelectedRowsSignature>().AllStrided();
SY_REGISTER_KERNEL(sgd_selected_rows, reference,
                   kernels::reference::SgdSelectedRowsKernel, ReferenceContext,
                   kSgdSelectedRowsSpec, float32, float64);

}  // namespace switchyard::phi
