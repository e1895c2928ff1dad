// SPDX-License-Identifier: Apache-2.0
// Parts that the kernels of gru and lstm share: the order of time steps in
// their batch results, and products that their gradients need.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_STEPS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_STEPS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// Where the rows of sequences stand in a batch output: first the first steps of
// all sequences, the longest sequence first (of equals the earlier one), then
// the second steps, and so on. A reversed sequence begins with its last row.
inline std::vector<int64_t> BatchPositions(const Offsets& offsets,
                                           bool is_reverse) {
  std::vector<int64_t> order(static_cast<size_t>(SequenceCount(offsets)));
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](int64_t i) { return offsets[i + 1] - offsets[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });
  std::vector<int64_t> positions(static_cast<size_t>(offsets.back()));
  int64_t next = 0;
  for (int64_t step = 0; next < offsets.back(); ++step) {
    for (const int64_t i : order) {
      if (length(i) <= step) break;
      positions[is_reverse ? offsets[i + 1] - 1 - step : offsets[i] + step] =
          next++;
    }
  }
  return positions;
}

// Checks that an initial state, if it is there, has a row for each sequence;
// `name` is the argument's in errors.
inline absl::Status CheckInitial(std::string_view name,
                                 const DenseTensor* initial,
                                 const Offsets& offsets) {
  const int64_t count = SequenceCount(offsets);
  if (initial == nullptr || initial->extent(0) == count) {
    return absl::OkStatus();
  }
  return ArgumentError(
      name, "of " + std::to_string(count) + " rows, one for each sequence",
      ToString(initial->shape()));
}

// The row of a sequence [begin, end) at a time step.
inline int64_t RowAt(int64_t begin, int64_t end, int64_t step,
                     bool is_reverse) {
  return is_reverse ? end - 1 - step : begin + step;
}

// out += row * transpose(matrix), for a row of `width` elements and a matrix of
// `inner` rows and `width` columns.
template <typename T>
void AddRowTimesTransposed(const T* row, const T* matrix, int64_t inner,
                           int64_t width, T* out) {
  for (int64_t i = 0; i < inner; ++i) {
    T sum = 0;
    for (int64_t j = 0; j < width; ++j) sum += row[j] * matrix[i * width + j];
    out[i] += sum;
  }
}

// matrix += transpose(left) * right, for rows of `inner` and `width` elements.
template <typename T>
void AddOuter(const T* left, const T* right, int64_t inner, int64_t width,
              T* matrix) {
  for (int64_t i = 0; i < inner; ++i) {
    T* line = matrix + i * width;
    for (int64_t j = 0; j < width; ++j) line[j] += left[i] * right[j];
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_STEPS_H_
