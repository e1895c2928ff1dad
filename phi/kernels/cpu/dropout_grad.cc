// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/dropout_grad.gen.h"
#include "phi/kernels/cpu/random.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<DropoutGradSignature>().Input(
    DropoutGradSignature::kMask, Fixed(DataType::kUInt8));

}  // namespace

SY_REGISTER_KERNEL(dropout_grad, cpu, kernels::DropoutGradKernel, CpuContext,
                   kSpec, float32, float64);

}  // namespace switchyard::phi
