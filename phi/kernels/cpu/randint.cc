// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/randint.gen.h"
#include "phi/kernels/cpu/random.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<RandintSignature>().Input(
    RandintSignature::kRng, OnHost(Fixed(DataType::kInt64)));

}  // namespace

SY_REGISTER_KERNEL(randint, cpu, kernels::RandintKernel, CpuContext, kSpec,
                   int32, int64);

}  // namespace switchyard::phi
