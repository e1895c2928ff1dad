// SPDX-License-Identifier: Apache-2.0
// AxisAlignment: the `axis` rule of legacy elementwise operators. The axes of a
// smaller operand stand at axis, axis + 1, ... of the result (-1: at the last
// ones); an axis that it lacks, or has with extent 1, is repeated.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_AXIS_ALIGNMENT_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_AXIS_ALIGNMENT_H_

#include <array>
#include <cstdint>

#include "framework/types/shape.h"

namespace switchyard::phi::fluid {

// How to step through a contiguous operand while the result is gone through in
// row-major order.
struct AxisAlignment {
  int rank = 0;
  std::array<int64_t, kMaxRank> extents;  // Of the result.
  std::array<int64_t, kMaxRank> strides;  // In the operand; 0: repeated.
};

// `axis` is legal for the two shapes (InferMeta has seen to it).
AxisAlignment Align(const Shape& result, const Shape& operand, int axis);

// Returns true if no axis is repeated: operand and result have the same
// elements in the same order.
bool IsWhole(const AxisAlignment& alignment);

// Goes through the result's elements in row-major order and says where in the
// operand each is.
class AlignedIndex {
 public:
  explicit AlignedIndex(const AxisAlignment& alignment)
      : alignment_(alignment) {}
  int64_t offset() const { return offset_; }
  void Next();

 private:
  const AxisAlignment& alignment_;
  std::array<int64_t, kMaxRank> index_ = {};
  int64_t offset_ = 0;
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_AXIS_ALIGNMENT_H_
