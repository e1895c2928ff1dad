// SPDX-License-Identifier: Apache-2.0
// Boxes (x_min, y_min, x_max, y_max) as rows of images: which rows an image
// has, and suppression of boxes that overlap a better one.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOX_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOX_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/boxes/box_suppression.h"

namespace switchyard::phi::kernels::cpu {

// The members of `order` that stay: none overlaps an earlier one that stays by
// more than the limit. corners(i) are the four numbers of box i.
template <typename T, typename Corners>
std::vector<int64_t> Suppress(const std::vector<int64_t>& order,
                              const Corners& corners,
                              const OverlapLimit<T>& limit) {
  std::vector<T> room(KeptBoxes<T>::Room(static_cast<int64_t>(order.size())));
  BoxSuppression<T> suppression(limit, room.data());
  std::vector<int64_t> kept;
  for (const int64_t box : order) {
    if (suppression.Keep(corners(box))) kept.push_back(box);
  }
  return kept;
}

// Where the sequences of the last level begin, and their end; one sequence of
// all rows for a tensor without sequences. ArgumentError where they are not
// those of the rows.
inline absl::StatusOr<std::vector<int64_t>> FindSequences(
    const DenseTensor& x) {
  if (x.lod() == nullptr || x.lod()->offsets.empty()) {
    return std::vector<int64_t>{0, x.extent(0)};
  }
  SY_RETURN_IF_ERROR(Validate(*x.lod(), x.extent(0)));
  return x.lod()->offsets.back();
}

// Where the rows of each image begin, and their end: by how many each has
// (`numbers`, int32, which may be null), else by sequences. ArgumentError where
// they are not those of the rows.
inline absl::StatusOr<std::vector<int64_t>> RowsOfImages(
    std::string_view argument, const DenseTensor& x,
    const DenseTensor* numbers) {
  if (numbers == nullptr) return FindSequences(x);
  std::vector<int64_t> starts = {0};
  for (int64_t i = 0; i < numbers->numel(); ++i) {
    const int64_t count = numbers->data<int32_t>()[i];
    if (count < 0) {
      return ArgumentError(argument, "0 or more", std::to_string(count));
    }
    starts.push_back(starts.back() + count);
  }
  if (starts.back() == x.extent(0)) return starts;
  return ArgumentError(argument,
                       "numbers whose sum is " + std::to_string(x.extent(0)),
                       std::to_string(starts.back()));
}

// Says of an output that its rows are sequences that begin at `starts`.
inline void SetSequences(std::vector<int64_t> starts, DenseTensor* out) {
  if (out == nullptr) return;
  LoD lod;
  lod.offsets.push_back(std::move(starts));
  out->SetLod(std::make_shared<const LoD>(std::move(lod)));
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOX_ROWS_H_
