// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/momentum_.gen.h"
#include "phi/kernels/cpu/optimizer.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<MomentumSignature>()
                           .Input(MomentumSignature::kLearningRate, AnyDtype())
                           .Input(MomentumSignature::kVelocity, AnyDtype());

}  // namespace

SY_REGISTER_KERNEL(momentum, cpu, kernels::MomentumKernel, CpuContext, kSpec,
                   float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
