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
#include "phi/composite/calls/reshape.gen.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The extents of `shape`, -1 for an unknown one ("to be inferred").
inline std::vector<int64_t> Extents(const Shape& shape) {
  std::vector<int64_t> extents;
  for (Dim dim : shape.dims())
    extents.push_back(dim.known() ? dim.value() : -1);
  return extents;
}

// Returns true if reshape can find out the rest: at most one extent is -1.
inline bool CanReshapeTo(const std::vector<int64_t>& extents) {
  return std::count(extents.begin(), extents.end(), -1) <= 1;
}

inline absl::Status UnknownShapeError(std::string_view argument) {
  return absl::FailedPreconditionError(
      std::string(argument) +
      " must be of a shape with one unknown extent at most, got several");
}

// v with these extents, of which one may be -1. reshape takes a 0 for the
// extent that v has there. So a single 0 of a known shape is written -1; where
// there are several, v is made a list first, of no elements: a 0 then is one.
inline Value ReshapeTo(Ops& ops, const Value& v, std::vector<int64_t> extents) {
  if (std::count(extents.begin(), extents.end(), -1) > 0) {
    return op::reshape(ops, v, extents);
  }
  const auto zeros = std::count(extents.begin(), extents.end(), 0);
  if (zeros > 1) {
    return op::reshape(ops, op::reshape(ops, v, std::vector<int64_t>{-1}),
                       extents);
  }
  if (zeros == 1) *std::find(extents.begin(), extents.end(), 0) = -1;
  return op::reshape(ops, v, extents);
}

// v with the shape of `like`, which is the operator's `argument`.
inline Value ReshapeLike(Ops& ops, const Value& v, const Value& like,
                         std::string_view argument) {
  const std::vector<int64_t> extents = Extents(ops.shape(like));
  if (!CanReshapeTo(extents)) {
    ops.Fail(UnknownShapeError(argument));
    return v;
  }
  return ReshapeTo(ops, v, extents);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXTENTS_H_
