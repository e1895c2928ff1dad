// SPDX-License-Identifier: Apache-2.0
// Kernels that fill a tensor with one number: full and full_like.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_FILL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_FILL_H_

#include <algorithm>

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"

namespace switchyard::phi::kernels {

template <typename T, typename Context>
absl::Status FullKernel(const Context&, IntArray, const Scalar& value, DataType,
                        DenseTensor* out) {
  std::fill_n(out->mutable_data<T>(), out->numel(), value.to<T>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status FullLikeKernel(const Context&, const DenseTensor&,
                            const Scalar& value, DataType, DenseTensor* out) {
  std::fill_n(out->mutable_data<T>(), out->numel(), value.to<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_FILL_H_
