// SPDX-License-Identifier: Apache-2.0
// The reference kernel of where.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_WHERE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_WHERE_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kWhereSpec = KernelSpec<S>().AllStrided().Input(
    S::kCondition, WithAnyStrides(Fixed(DataType::kBool)));
template <typename T>
absl::Status WhereKernel(const ReferenceContext&, const DenseTensor& condition,
                         const DenseTensor& x, const DenseTensor& y,
                         DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = BroadcastAt<bool>(condition, out->shape(), i)
                                    ? BroadcastAt<T>(x, out->shape(), i)
                                    : BroadcastAt<T>(y, out->shape(), i);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_WHERE_H_
