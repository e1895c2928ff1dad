// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/accuracy.gen.h"
#include "phi/kernels/cpu/embedding.h"

namespace switchyard::phi {
namespace kernels {
namespace {

template <typename T, typename Context>
absl::Status AccuracyKernel(const Context&, const DenseTensor& x,
                            const DenseTensor& indices,
                            const DenseTensor& label, DenseTensor* accuracy,
                            DenseTensor* correct, DenseTensor* total) {
  const int64_t rows = x.extent(0), width = x.extent(1);
  int32_t hits = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t wanted = IndexAt(label, r);
    for (int64_t j = 0; j < width; ++j) {
      if (IndexAt(indices, r * width + j) == wanted) {
        ++hits;
        break;
      }
    }
  }
  *accuracy->mutable_data<float>() =
      rows == 0 ? 0.0f : static_cast<float>(hits) / static_cast<float>(rows);
  *correct->mutable_data<int32_t>() = hits;
  *total->mutable_data<int32_t>() = static_cast<int32_t>(rows);
  return absl::OkStatus();
}

constexpr auto kSpec =
    KernelSpec<AccuracySignature>()
        .Input(AccuracySignature::kX, WithAnyStrides(AnyDtype()))
        .Input(AccuracySignature::kIndices, AnyDtype())
        .Input(AccuracySignature::kLabel, AnyDtype());

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(accuracy, cpu, kernels::AccuracyKernel, CpuContext,
                   kernels::kSpec, float32, float64);

}  // namespace switchyard::phi
