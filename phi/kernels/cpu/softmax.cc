// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/kernels/cpu/softmax_lines.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<SoftmaxSignature>();

}  // namespace

SY_REGISTER_KERNEL(softmax, cpu, kernels::SoftmaxKernel, CpuContext, kSpec,
                   float32, float64, float16, bfloat16);

}  // namespace switchyard::phi
