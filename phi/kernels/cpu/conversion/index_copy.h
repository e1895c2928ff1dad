// SPDX-License-Identifier: Apache-2.0
// Copies of index tensors. Another thread may write a tensor while a kernel
// runs (a loader that fills its buffer again), so no kernel reads an index
// twice: what it checks is the copy that it follows.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_INDEX_COPY_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_INDEX_COPY_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The elements of a contiguous tensor of any integer dtype.
absl::StatusOr<Workspace<int64_t>> CopyIndices(Allocator& allocator,
                                               const DenseTensor& x);

// The elements of a contiguous tensor of any integer dtype, each in [low,
// high). RangeError naming `argument` otherwise.
absl::StatusOr<Workspace<int64_t>> CopyIndicesIn(Allocator& allocator,
                                                 std::string_view argument,
                                                 const DenseTensor& x,
                                                 int64_t low, int64_t high);

// The elements of a contiguous tensor, for an algorithm that leaves memory if
// they change while it runs, as sorting by them does.
template <typename T>
absl::StatusOr<Workspace<T>> CopyElements(Allocator& allocator,
                                          const DenseTensor& x) {
  SY_ASSIGN_OR_RETURN(Workspace<T> copy,
                      Workspace<T>::Make(allocator, x.numel()));
  std::copy_n(x.data<T>(), x.numel(), copy.data());
  return copy;
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_INDEX_COPY_H_
