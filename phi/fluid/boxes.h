// SPDX-License-Identifier: Apache-2.0
// What the legacy kernels of detection share about boxes (x_min, y_min, x_max,
// y_max): areas, overlaps, and suppression of those that overlap a better one.
#ifndef SWITCHYARD_PHI_FLUID_BOXES_H_
#define SWITCHYARD_PHI_FLUID_BOXES_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kept_boxes.h"

namespace switchyard::phi::fluid {

// The area of a box whose sides are `longer` longer than its corners say; 0 if
// its corners are the wrong way round.
template <typename T>
T Area(const T* box, T longer) {
  if (box[2] < box[0] || box[3] < box[1]) return 0;
  return (box[2] - box[0] + longer) * (box[3] - box[1] + longer);
}

// The area that two boxes share, as a part of what they cover together.
template <typename T>
T Overlap(const T* a, const T* b, T longer) {
  if (b[0] > a[2] || b[2] < a[0] || b[1] > a[3] || b[3] < a[1]) return 0;
  const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + longer;
  const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + longer;
  const T shared = width * height;
  return shared / (Area(a, longer) + Area(b, longer) - shared);
}

// A limit of overlaps that shrinks by `eta` with each box that stays, while it
// is above 0.5.
template <typename T>
struct OverlapLimit {
  T threshold;
  T eta;
  T longer;
};

// The members of `order` that stay: none overlaps an earlier one that stays by
// more than the limit. corners(i) are the four numbers of box i.
template <typename T, typename Corners>
std::vector<int64_t> Suppress(const std::vector<int64_t>& order,
                              const Corners& corners,
                              const OverlapLimit<T>& limit) {
  std::vector<int64_t> kept;
  std::vector<T> room(KeptBoxes<T>::Room(static_cast<int64_t>(order.size())));
  KeptBoxes<T> boxes(room.data());
  T threshold = limit.threshold;
  for (const int64_t box : order) {
    const T* const candidate = corners(box);
    const auto fits = [&](const T* other) {
      return Overlap<T>(candidate, other, limit.longer) <= threshold;
    };
    // Below a limit of 0 no box stays beside another, however far apart.
    const bool stays =
        threshold >= 0 ? boxes.AllNear(candidate, fits) : kept.empty();
    if (!stays) continue;
    kept.push_back(box);
    boxes.Add(candidate);
    if (limit.eta < 1 && threshold > T{0.5}) threshold *= limit.eta;
  }
  return kept;
}

// Where the sequences of the last level begin, and their end; one sequence of
// all rows for a tensor without sequences. ArgumentError where they are not
// those of the rows.
inline absl::StatusOr<std::vector<int64_t>> SequencesOf(const DenseTensor& x) {
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
  if (numbers == nullptr) return SequencesOf(x);
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

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_BOXES_H_
