// SPDX-License-Identifier: Apache-2.0
// Lanes: a contiguous tensor as the legacy kernels of softmax see it, and sums
// over a line.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_LANES_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_LANES_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/types/shape.h"

namespace switchyard::phi::fluid {

// A contiguous tensor as the lines of elements along one axis.
struct Lanes {
  int64_t count = 1;   // Lines.
  int64_t length = 1;  // Elements of one.
  int64_t stride = 1;  // From one element of a line to the next.

  // The offset of the first element of line i.
  int64_t begin(int64_t i) const {
    return i / stride * length * stride + i % stride;
  }
};

// The lines of `shape` along `axis`, which may be negative; a scalar is one
// line of one element.
inline absl::StatusOr<Lanes> MakeLanes(const Shape& shape, int axis) {
  SY_ASSIGN_OR_RETURN(const int along, NormalizeAxis("axis", axis, shape.rank(),
                                                     /*scalar_ok=*/true));
  Lanes lanes;
  if (shape.rank() == 0) return lanes;
  lanes.length = shape.extent(along);
  lanes.stride = shape.numel(along + 1, shape.rank());
  // The product of an empty tensor's extents might not fit int64.
  lanes.count = shape.numel() == 0 ? 0 : shape.numel(0, along) * lanes.stride;
  return lanes;
}

// The sum of term(i) for i in [begin, end), each half summed by itself: its
// rounding errors grow with the logarithm of the number of terms, as those of
// the tree reduction that legacy kernels took from Eigen.
template <typename T, typename Term>
T SumByHalves(int64_t begin, int64_t end, const Term& term) {
  constexpr int64_t kLeaf = 8;
  if (end - begin > kLeaf) {
    const int64_t middle = begin + (end - begin) / 2;
    return SumByHalves<T>(begin, middle, term) +
           SumByHalves<T>(middle, end, term);
  }
  T sum = 0;
  for (int64_t i = begin; i < end; ++i) sum += term(i);
  return sum;
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_LANES_H_
