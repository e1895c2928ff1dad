// SPDX-License-Identifier: Apache-2.0
// slice, whose result loses the axes `decrease_axis` (each of extent 1 by
// then).
#ifndef SWITCHYARD_PHI_COMPOSITE_LEGACY_SLICE_H_
#define SWITCHYARD_PHI_COMPOSITE_LEGACY_SLICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LegacySlice(Ops& ops, const V& input, absl::Span<const int64_t> axes,
                 absl::Span<const int64_t> starts,
                 absl::Span<const int64_t> ends,
                 absl::Span<const int64_t> decrease_axis, V* out) {
  if (out == nullptr) return;
  *out = ops.slice(input, axes, starts, ends);
  if (decrease_axis.empty() || !ops.defined(*out)) return;
  const std::vector<int64_t> sliced = Extents(ops.shape(*out));
  const int64_t rank = static_cast<int64_t>(sliced.size());
  const auto refuse = [&](const std::string& expected, int64_t got) {
    ops.Fail(ArgumentError("decrease_axis", expected, std::to_string(got)));
  };
  std::vector<bool> dropped(sliced.size());
  bool known = true;
  for (const int64_t axis : decrease_axis) {
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank) {
      return refuse("axes of a tensor of rank " + std::to_string(rank), axis);
    }
    if (sliced[at] != 1 && sliced[at] != -1) {
      return refuse("axes that are sliced to extent 1", axis);
    }
    dropped[at] = true;
    known = known && sliced[at] == 1;
  }
  if (known) {
    *out = ops.squeeze(*out, decrease_axis);
    return;
  }
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < rank; ++i) {
    if (!dropped[i]) kept.push_back(sliced[i]);
  }
  if (!CanReshapeTo(kept)) {
    return ops.Fail(UnknownShapeError("input"));
  }
  *out = ops.reshape(*out, kept);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEGACY_SLICE_H_
