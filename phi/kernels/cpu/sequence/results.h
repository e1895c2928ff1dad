// SPDX-License-Identifier: Apache-2.0
// Results that kernels sum up, and operands that may be absent.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_RESULTS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_RESULTS_H_

#include <algorithm>
#include <vector>

#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::kernels::cpu {

// The elements of a tensor that may be absent; then null.
template <typename T>
const T* DataOrNull(const DenseTensor* tensor) {
  return tensor == nullptr ? nullptr : tensor->data<T>();
}

// Zeros in a result, to which sums are added; null where it is not wanted.
template <typename T>
T* ZeroedData(DenseTensor* out) {
  if (out == nullptr) return nullptr;
  T* data = out->mutable_data<T>();
  std::fill_n(data, out->numel(), T{0});
  return data;
}

// Gives a result, which may be absent, the sequences of x.
inline void ShareSequences(const DenseTensor& x, DenseTensor* out) {
  if (out != nullptr) out->SetLod(x.lod());
}

// Stores sums that were made in double as elements of a result, if it is
// wanted.
template <typename T>
void StoreSums(const std::vector<double>& sums, DenseTensor* out) {
  if (out == nullptr) return;
  std::transform(sums.begin(), sums.end(), out->mutable_data<T>(),
                 [](double sum) { return static_cast<T>(sum); });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_RESULTS_H_
