// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/dropout.gen.h"
#include "phi/kernels/cpu/random.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec =
    KernelSpec<DropoutSignature>()
        .Input(DropoutSignature::kRng, OnHost(Fixed(DataType::kInt64)))
        .Output(DropoutSignature::kMask, Fixed(DataType::kUInt8));

}  // namespace

SY_REGISTER_KERNEL(dropout, cpu, kernels::DropoutKernel, CpuContext, kSpec,
                   float32, float64);

}  // namespace switchyard::phi
