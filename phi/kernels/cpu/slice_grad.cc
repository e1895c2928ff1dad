// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/slice_grad.gen.h"
#include "phi/kernels/cpu/move.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<SliceGradSignature>().AllStrided().Input(
    SliceGradSignature::kInput, WithAnyStrides(AnyDtype()));

}  // namespace

SY_REGISTER_KERNEL(slice_grad, cpu, kernels::SliceGradKernel, CpuContext, kSpec,
                   float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
