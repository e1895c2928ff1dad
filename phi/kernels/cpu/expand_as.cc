// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/expand_as.gen.h"
#include "phi/kernels/neutral/view.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ExpandAsSignature>().AllStrided().Input(
    ExpandAsSignature::kY, WithAnyStrides(AnyDtype()));

}  // namespace

SY_REGISTER_KERNEL(expand_as, cpu, kernels::ExpandAsKernel, CpuContext, kSpec,
                   bool, uint8, int8, int32, int64, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
