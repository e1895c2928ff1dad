// SPDX-License-Identifier: Apache-2.0
// Overlaps of boxes, and non-maximum suppression by them, as the kernels of
// detection and their legacy twins compute it.
#ifndef SWITCHYARD_PHI_CORE_BOXES_BOX_SUPPRESSION_H_
#define SWITCHYARD_PHI_CORE_BOXES_BOX_SUPPRESSION_H_

#include <algorithm>
#include <cstdint>

#include "phi/core/boxes/kept_boxes.h"

namespace switchyard::phi {

// Returns the area of a box (x_min, y_min, x_max, y_max) whose sides are
// `longer` longer than its corners say; 0 if its corners are the wrong way
// round.
template <typename T>
T Area(const T* box, T longer) {
  if (box[2] < box[0] || box[3] < box[1]) return 0;
  return (box[2] - box[0] + longer) * (box[3] - box[1] + longer);
}

// Returns the area that two boxes share, as a part of what they cover together.
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
  T longer;  // As for Area().
};

// Non-maximum suppression: takes boxes, the best first, and keeps those that
// overlap no earlier one that was kept by more than the limit. Borrows `room`,
// which has KeptBoxes<T>::Room() numbers for all boxes that may stay.
template <typename T>
class BoxSuppression {
 public:
  BoxSuppression(const OverlapLimit<T>& limit, T* room)
      : limit_(limit), kept_(room) {}

  // Returns true if the box stays.
  bool Keep(const T* box) {
    const auto fits = [&](const T* other) {
      return Overlap<T>(box, other, limit_.longer) <= limit_.threshold;
    };
    // Below a limit of 0 no box stays beside another, however far apart.
    const bool stays =
        limit_.threshold >= 0 ? kept_.AllNear(box, fits) : kept_.empty();
    if (!stays) return false;
    kept_.Add(box);
    if (limit_.eta < 1 && limit_.threshold > T{0.5}) {
      limit_.threshold *= limit_.eta;
    }
    return true;
  }

 private:
  OverlapLimit<T> limit_;
  KeptBoxes<T> kept_;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_BOXES_BOX_SUPPRESSION_H_
