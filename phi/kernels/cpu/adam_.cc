// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/adam_.gen.h"
#include "phi/kernels/cpu/optimizer.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec =
    KernelSpec<AdamSignature>()
        .Input(AdamSignature::kLearningRate, AnyDtype())
        .Input(AdamSignature::kMoment1, AnyDtype())
        .Input(AdamSignature::kMoment2, AnyDtype())
        .Input(AdamSignature::kBeta1Pow, AnyDtype())
        .Input(AdamSignature::kBeta2Pow, AnyDtype())
        .Input(AdamSignature::kMoment2Max, AnyDtype())
        .Input(AdamSignature::kMasterParam, AnyDtype())
        .Input(AdamSignature::kSkipUpdate, OnHost(Fixed(DataType::kBool)));

}  // namespace

SY_REGISTER_KERNEL(adam, cpu, kernels::AdamKernel, CpuContext, kSpec, float32,
                   float64, float16, bfloat16);

}  // namespace switchyard::phi
