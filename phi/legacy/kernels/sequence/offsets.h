// SPDX-License-Identifier: Apache-2.0
// Parts that the legacy kernels of sequences share: a tensor as rows, where its
// sequences begin, and results whose rows are rows of an input. The sequences
// themselves are a LoD (framework/tensor/lod.h).
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_SEQUENCE_OFFSETS_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_SEQUENCE_OFFSETS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"

namespace switchyard::phi::fluid {

// Where sequences begin, and where the last one ends.
using Offsets = std::vector<int64_t>;

// The number of sequences.
inline int64_t SequenceCount(const Offsets& offsets) {
  return static_cast<int64_t>(offsets.size()) - 1;
}

// Appends a sequence of `length` rows.
inline void AppendSequence(int64_t length, Offsets* offsets) {
  offsets->push_back(offsets->back() + length);
}

// The elements of one row of a tensor of rank 1 or more.
inline int64_t RowWidth(const DenseTensor& x) {
  return x.shape().numel(1, x.rank());
}

// The shape of `x` with another number of rows.
inline Shape WithRows(const Shape& x, int64_t rows) {
  Shape shape = x;
  shape[0] = rows;
  return shape;
}

// Says which row of an input each row of a result is, in their order.
using RowSources = std::vector<int64_t>;

// out[i] = x[sources[i]]. `out` has as many rows as there are sources, of the
// width of those of `x`.
template <typename T>
void CopyRows(const DenseTensor& x, const RowSources& sources,
              DenseTensor* out) {
  const int64_t width = RowWidth(x);
  T* to = out->mutable_data<T>();
  for (const int64_t source : sources) {
    to = std::copy_n(x.data<T>() + source * width, width, to);
  }
}

// The gradient of CopyRows: x_grad[j] is the sum of the out_grad[i] whose
// source is j, in their order.
template <typename T>
void AddRows(const DenseTensor& out_grad, const RowSources& sources,
             DenseTensor* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t width = RowWidth(*x_grad);
  T* sums = x_grad->mutable_data<T>();
  std::fill_n(sums, x_grad->numel(), T{0});
  const T* from = out_grad.data<T>();
  for (const int64_t source : sources) {
    T* to = sums + source * width;
    for (int64_t k = 0; k < width; ++k) to[k] += from[k];
    from += width;
  }
}

// Checks that the gradient of a result has as many rows as the result.
inline absl::Status CheckRows(const DenseTensor& out_grad, int64_t rows) {
  if (out_grad.rank() > 0 && out_grad.extent(0) == rows) {
    return absl::OkStatus();
  }
  return ArgumentError("out_grad", "of " + std::to_string(rows) + " rows",
                       ToString(out_grad.shape()));
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_SEQUENCE_OFFSETS_H_
