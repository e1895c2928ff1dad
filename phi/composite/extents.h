// SPDX-License-Identifier: Apache-2.0
// Shapes as attribute values for composites. Not an operator's composite
// itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_EXTENTS_H_
#define SWITCHYARD_PHI_COMPOSITE_EXTENTS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "framework/types/shape.h"

namespace switchyard::phi::composite {

// The extents of `shape`, -1 for an unknown one ("to be inferred").
inline std::vector<int64_t> Extents(const Shape& shape) {
  std::vector<int64_t> extents;
  for (Dim dim : shape.dims())
    extents.push_back(dim.known() ? dim.value() : -1);
  return extents;
}

// The same extents as reshape takes them. A 0 there repeats an extent of what
// is reshaped; where it is the only one of a known shape, -1 says as much.
inline std::vector<int64_t> AsReshape(std::vector<int64_t> extents) {
  const bool only = std::count(extents.begin(), extents.end(), 0) == 1 &&
                    std::count(extents.begin(), extents.end(), -1) == 0;
  if (only) *std::find(extents.begin(), extents.end(), 0) = -1;
  return extents;
}

// True if reshape can find out the rest: at most one extent is -1.
inline bool CanReshapeTo(const std::vector<int64_t>& extents) {
  return std::count(extents.begin(), extents.end(), -1) <= 1;
}

inline absl::Status UnknownShapeError(std::string_view argument) {
  return absl::FailedPreconditionError(
      std::string(argument) +
      " must be of a shape with one unknown extent at most, got several");
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXTENTS_H_
