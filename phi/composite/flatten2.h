// SPDX-License-Identifier: Apache-2.0
// x as a matrix: the axes before `axis` are its rows, the others its columns.
#ifndef SWITCHYARD_PHI_COMPOSITE_FLATTEN2_H_
#define SWITCHYARD_PHI_COMPOSITE_FLATTEN2_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Flatten2(Ops& ops, const V& x, int axis, V* out) {
  if (out == nullptr) return;
  const std::vector<int64_t> extents = Extents(ops.shape(x));
  const int rank = static_cast<int>(extents.size());
  if (axis < -rank || axis > rank) {
    const std::string range =
        "in [" + std::to_string(-rank) + ", " + std::to_string(rank) + "]";
    return ops.Fail(
        Annotate(RangeError("axis", range, std::to_string(axis)), "flatten2"));
  }
  const int split = axis < 0 ? axis + rank : axis;
  // Products of the extents of a tensor that is there: no overflow.
  int64_t sides[2] = {1, 1};
  for (int i = 0; i < rank; ++i) {
    int64_t& side = sides[i < split ? 0 : 1];
    side = side < 0 || extents[i] < 0 ? -1 : side * extents[i];
  }
  if (sides[0] < 0 && sides[1] < 0) {
    return ops.Fail(Annotate(UnknownShapeError("x"), "flatten2"));
  }
  *out = ops.reshape(x, {sides[0], sides[1]});
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FLATTEN2_H_
