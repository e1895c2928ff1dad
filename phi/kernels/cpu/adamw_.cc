// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/adamw_.gen.h"
#include "phi/kernels/cpu/optimizer.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec =
    KernelSpec<AdamwSignature>()
        .Input(AdamwSignature::kLearningRate, AnyDtype())
        .Input(AdamwSignature::kMoment1, AnyDtype())
        .Input(AdamwSignature::kMoment2, AnyDtype())
        .Input(AdamwSignature::kBeta1Pow, AnyDtype())
        .Input(AdamwSignature::kBeta2Pow, AnyDtype())
        .Input(AdamwSignature::kMoment2Max, AnyDtype())
        .Input(AdamwSignature::kMasterParam, AnyDtype())
        .Input(AdamwSignature::kSkipUpdate, OnHost(Fixed(DataType::kBool)));

}  // namespace

SY_REGISTER_KERNEL(adamw, cpu, kernels::AdamwKernel, CpuContext, kSpec, float32,
                   float64, float16, bfloat16);

}  // namespace switchyard::phi
