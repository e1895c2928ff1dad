// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/argmax.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/argmax.gen.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<ArgmaxSignature>().Output(
    ArgmaxSignature::kOut,
    OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)));

}  // namespace

SY_REGISTER_KERNEL(argmax, cpu, kernels::ArgmaxKernel, CpuContext, kSpec, uint8,
                   int8, int32, int64, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
