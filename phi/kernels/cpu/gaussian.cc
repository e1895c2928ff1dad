// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/gaussian.gen.h"
#include "phi/kernels/cpu/random.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<GaussianSignature>().Input(
    GaussianSignature::kRng, OnHost(Fixed(DataType::kInt64)));

}  // namespace

SY_REGISTER_KERNEL(gaussian, cpu, kernels::GaussianKernel, CpuContext, kSpec,
                   float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
