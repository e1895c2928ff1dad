// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/reduce_as.gen.h"
#include "phi/kernels/cpu/reduce.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ReduceAsSignature>().Input(
    ReduceAsSignature::kTarget, WithAnyStrides(AnyDtype()));

}  // namespace

SY_REGISTER_KERNEL(reduce_as, cpu, kernels::ReduceAsKernel, CpuContext, kSpec,
                   float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
