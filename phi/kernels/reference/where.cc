// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/where.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi {
namespace {

template <typename T, typename Context>
absl::Status WhereKernel(const Context&, const DenseTensor& condition,
                         const DenseTensor& x, const DenseTensor& y,
                         DenseTensor* out) {
  using kernels::reference::BroadcastAt;
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = BroadcastAt<bool>(condition, out->shape(), i)
                                    ? BroadcastAt<T>(x, out->shape(), i)
                                    : BroadcastAt<T>(y, out->shape(), i);
  }
  return absl::OkStatus();
}

constexpr auto kSpec = KernelSpec<WhereSignature>().AllStrided().Input(
    WhereSignature::kCondition, WithAnyStrides(Fixed(DataType::kBool)));

}  // namespace

SY_REGISTER_KERNEL(where, reference, WhereKernel, ReferenceContext, kSpec, bool,
                   uint8, int8, int32, int64, float16, bfloat16, float32,
                   float64);

}  // namespace switchyard::phi
