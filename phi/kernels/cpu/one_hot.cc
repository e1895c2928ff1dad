// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/one_hot.gen.h"
#include "phi/kernels/cpu/indexing.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<OneHotSignature>().Output(
    OneHotSignature::kOut, Fixed(DataType::kFloat32));

}  // namespace

SY_REGISTER_KERNEL(one_hot, cpu, kernels::OneHotKernel, CpuContext, kSpec,
                   int32, int64);

}  // namespace switchyard::phi
