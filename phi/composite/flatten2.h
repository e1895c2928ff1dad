// SPDX-License-Identifier: Apache-2.0
// x as a matrix: the axes before `axis` are its rows, the others its columns. A
// scalar becomes a list of one element, as in Paddle.
#ifndef SWITCHYARD_PHI_COMPOSITE_FLATTEN2_H_
#define SWITCHYARD_PHI_COMPOSITE_FLATTEN2_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Flatten2(Ops& ops, const V& x, int axis, V* out) {
  if (out == nullptr) return;
  const int rank = ops.shape(x).rank();
  if (axis < -rank || axis > rank) {
    return ops.Fail(RangeError(
        "axis",
        "in [" + std::to_string(-rank) + ", " + std::to_string(rank) + "]",
        std::to_string(axis)));
  }
  if (rank == 0) {
    *out = ops.flatten(x, 0, 0);
    return;
  }
  const int split = axis < 0 ? axis + rank : axis;
  // A side without axes gets one of extent 1.
  std::vector<int64_t> sides;
  if (split == 0) sides.push_back(0);
  if (split == rank) sides.push_back(-1);
  V v = sides.empty() ? x : ops.unsqueeze(x, sides);
  const int rows = split == 0 ? 1 : split;
  const int columns = rank + static_cast<int>(sides.size()) - rows;
  v = ops.flatten(v, 0, rows - 1);
  *out = ops.flatten(v, 1, columns);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FLATTEN2_H_
