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

namespace switchyard::phi::composite {

// The axes of extent 1 that an operand of rank `own` gets behind its own, so
// that these stand at `axis` of a tensor of `rank`.
inline std::vector<int64_t> AxesBehind(int own, int rank, int axis) {
  std::vector<int64_t> axes;
  for (int i = own; i < rank - axis; ++i) axes.push_back(i);
  return axes;
}

template <typename Ops, typename V = typename Ops::Value>
V AlignedTo(Ops& ops, const V& v, int rank, int axis) {
  const int own = ops.shape(v).rank();
  if (axis < 0 || axis > rank - own) {
    ops.Fail(RangeError("axis",
                        "-1 or in [0, " + std::to_string(rank - own) + "]",
                        std::to_string(axis)));
    return v;
  }
  const std::vector<int64_t> axes = AxesBehind(own, rank, axis);
  return axes.empty() ? v : ops.unsqueeze(v, axes);
}

// body(x, y), aligned.
template <typename Ops, typename V, typename Body>
V Aligned(Ops& ops, const V& x, const V& y, int axis, Body body) {
  const int x_rank = ops.shape(x).rank(), y_rank = ops.shape(y).rank();
  if (axis == -1) return body(x, y);
  if (x_rank < y_rank) return body(AlignedTo(ops, x, y_rank, axis), y);
  return body(x, AlignedTo(ops, y, x_rank, axis));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ALIGNED_H_
