// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/cross_entropy_with_softmax_grad.gen.h"
#include "phi/kernels/cpu/cross_entropy.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<CrossEntropyWithSoftmaxGradSignature>().Input(
    CrossEntropyWithSoftmaxGradSignature::kLabel, AnyDtype());

}  // namespace

SY_REGISTER_KERNEL(cross_entropy_with_softmax_grad, cpu,
                   kernels::CrossEntropyWithSoftmaxGradKernel, CpuContext,
                   kSpec, float32, float64);

}  // namespace switchyard::phi
