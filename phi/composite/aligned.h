// SPDX-License-Identifier: Apache-2.0
// The `axis` rule of old elementwise operators: the axes of the operand of
// smaller rank stand at axis, axis + 1, ... of the other; -1 aligns the last
// ones, as broadcasting does. Not an operator's composite itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_ALIGNED_H_
#define SWITCHYARD_PHI_COMPOSITE_ALIGNED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

// `v` with axes of extent 1 behind its own, so that these stand at `axis` of a
// tensor of `rank`; last axes of extent 1 for which there is no room drop.
template <typename Ops, typename V = typename Ops::Value>
V AlignedTo(Ops& ops, const char* op, const char* name, const V& v, int rank,
            int axis) {
  std::vector<int64_t> extents = Extents(ops.shape(v));
  if (axis < 0 || axis >= rank) {
    ops.Fail(Annotate(
        RangeError("axis", "-1 or in [0, " + std::to_string(rank) + ")",
                   std::to_string(axis)),
        op));
    return v;
  }
  const size_t room = static_cast<size_t>(rank - axis);
  while (extents.size() > room && extents.back() == 1) extents.pop_back();
  if (extents.size() > room) {
    ops.Fail(
        Annotate(ArgumentError(name,
                               "of rank " + std::to_string(room) +
                                   " at most, at axis " + std::to_string(axis),
                               std::to_string(extents.size())),
                 op));
    return v;
  }
  extents.resize(room, 1);
  if (!CanReshapeTo(extents)) {
    ops.Fail(Annotate(UnknownShapeError(name), op));
    return v;
  }
  return ops.reshape(v, extents);
}

// body(x, y), aligned.
template <typename Ops, typename V, typename Body>
V Aligned(Ops& ops, const char* op, const V& x, const V& y, int axis,
          Body body) {
  const int x_rank = ops.shape(x).rank(), y_rank = ops.shape(y).rank();
  if (axis == -1) return body(x, y);
  if (x_rank < y_rank) {
    return body(AlignedTo(ops, op, "x", x, y_rank, axis), y);
  }
  return body(x, AlignedTo(ops, op, "y", y, x_rank, axis));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ALIGNED_H_
