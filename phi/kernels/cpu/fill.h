// SPDX-License-Identifier: Apache-2.0
// Kernels that fill a tensor with one number: full and full_like.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_FILL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_FILL_H_

#include "framework/base/status.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"

namespace switchyard::phi::kernels {

// `count` elements of `element_size` (1, 2, 4 or 8) bytes, each as `value`.
void FillElements(size_t element_size, const void* value, int64_t count,
                  void* to);

template <typename T, typename Context>
absl::Status FullKernel(const Context&, IntArray, const Scalar& value, DataType,
                        DenseTensor* out) {
  const T element = value.to<T>();
  FillElements(sizeof(T), &element, out->numel(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status FullLikeKernel(const Context&, const DenseTensor&,
                            const Scalar& value, DataType, DenseTensor* out) {
  const T element = value.to<T>();
  FillElements(sizeof(T), &element, out->numel(), out->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_FILL_H_
