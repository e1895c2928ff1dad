// SPDX-License-Identifier: Apache-2.0
#include "phi/shapes/reduce_plan.h"

#include "framework/base/checked_math.h"

namespace switchyard::phi {

ReducePlan ReducePlan::OfAxes(const Shape& x, absl::Span<const int64_t> axis) {
  std::array<bool, kMaxRank> reduced = {};
  if (axis.empty()) reduced.fill(true);
  for (const int64_t a : axis) {
    if (x.rank() > 0) reduced[a < 0 ? a + x.rank() : a] = true;
  }
  return Make(x, reduced);
}

ReducePlan ReducePlan::ToShape(const Shape& x, const Shape& target, int lead) {
  std::array<bool, kMaxRank> reduced;
  reduced.fill(true);
  for (int i = 0; i < target.rank(); ++i) {
    reduced[lead + i] = target.extent(i) == 1;
  }
  return Make(x, reduced);
}

ReducePlan ReducePlan::Make(const Shape& x,
                            const std::array<bool, kMaxRank>& r) {
  ReducePlan plan;
  // From the last axis on, so that strides are known.
  std::array<Axis, kMaxRank> backwards;
  int count = 0;
  int64_t x_stride = 1;
  // Leaves int64 only if x is empty, where it is 0 or nothing is read.
  const auto times = [](int64_t a, int64_t b) {
    return CheckedMultiply(a, b).value_or(0);
  };
  for (int i = x.rank() - 1; i >= 0; --i) {
    const int64_t extent = x.extent(i);
    const int64_t out_stride = r[i] ? 0 : plan.kept;
    int64_t& elements = r[i] ? plan.reduced : plan.kept;
    elements = times(elements, extent);
    if (extent == 1) continue;
    if (count > 0 && backwards[count - 1].reduced() == r[i]) {
      int64_t& merged = backwards[count - 1].extent;
      merged = times(merged, extent);
    } else {
      backwards[count++] = {extent, x_stride, out_stride};
    }
    x_stride = times(x_stride, extent);
  }
  if (count == 0) backwards[count++] = {1, 1, 1};
  plan.rank = count;
  for (int i = 0; i < count; ++i) plan.axes[i] = backwards[count - 1 - i];
  return plan;
}

}  // namespace switchyard::phi
