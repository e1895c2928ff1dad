// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/sgd_.gen.h"
#include "phi/kernels/cpu/optimizer.h"

namespace switchyard::phi {
namespace {

constexpr auto kDense =
    KernelSpec<SgdSignature>().Input(SgdSignature::kLearningRate, AnyDtype());
constexpr auto kSelectedRows = KernelSpec<SgdSelectedRowsSignature>();

}  // namespace

SY_REGISTER_KERNEL(sgd, cpu, kernels::SgdKernel, CpuContext, kDense, float32,
                   float64, float16, bfloat16);
SY_REGISTER_KERNEL(sgd_selected_rows, cpu, kernels::SgdSelectedRowsKernel,
                   CpuContext, kSelectedRows, float32, float64);

}  // namespace switchyard::phi
