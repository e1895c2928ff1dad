// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/prod.gen.h"
#include "phi/kernels/cpu/reduce_product.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ProdSignature>();

}  // namespace

SY_REGISTER_KERNEL(prod, cpu, kernels::ProdKernel, CpuContext, kSpec, int32,
                   int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
