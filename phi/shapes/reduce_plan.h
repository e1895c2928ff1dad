// SPDX-License-Identifier: Apache-2.0
// ReducePlan: the axes of a reduction, along which every backend's kernels
// reduce.
#ifndef SWITCHYARD_PHI_SHAPES_REDUCE_PLAN_H_
#define SWITCHYARD_PHI_SHAPES_REDUCE_PLAN_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "framework/types/shape.h"

namespace switchyard::phi {

// A contiguous tensor's axes, merged into the fewest that are wholly reduced or
// wholly kept, in turns.
struct ReducePlan {
  // `axis` as the attribute has it (none: all axes), checked by InferMeta.
  static ReducePlan OfAxes(const Shape& x, absl::Span<const int64_t> axis);
  // To `target`, whose axes stand at axis `lead` and after it in x's and are 1
  // where they are reduced, as are all axes of x that it lacks.
  static ReducePlan ToShape(const Shape& x, const Shape& target, int lead);

  struct Axis {
    int64_t extent;
    int64_t x_stride;    // Elements.
    int64_t out_stride;  // 0: reduced.
    bool reduced() const { return out_stride == 0; }
  };
  std::array<Axis, kMaxRank> axes;
  int rank;             // Merged axes, at least 1.
  int64_t kept = 1;     // Elements of the result.
  int64_t reduced = 1;  // Elements of x for each of them.

 private:
  static ReducePlan Make(const Shape& x, const std::array<bool, kMaxRank>& r);
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_SHAPES_REDUCE_PLAN_H_
