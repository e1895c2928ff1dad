// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/shape.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/shape.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ShapeSignature>().Input(
    ShapeSignature::kInput, WithAnyStrides(AnyDtype()));

}  // namespace

SY_REGISTER_KERNEL(shape, cpu, kernels::ShapeKernel, CpuContext, kSpec, int64);

}  // namespace switchyard::phi
