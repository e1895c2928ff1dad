// SPDX-License-Identifier: Apache-2.0
// x / y, the smaller operand at `axis` of the other; of integers the whole
// part, as C++ divides.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_DIV_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_DIV_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/aligned.h"

namespace switchyard::phi::composite {

// floor(a / b), and one more where that is below zero and not exact.
template <typename Ops, typename V = typename Ops::Value>
V WholePart(Ops& ops, const V& a, const V& b) {
  const DataType dtype = ops.dtype(a);
  const V floor = ops.floor_divide(a, b);
  const V inexact = ops.not_equal(ops.multiply(floor, b), a);
  const V zero = ops.full_like(floor, Scalar(int64_t{0}), dtype);
  const V below = ops.less_than(floor, zero);
  return ops.add(floor, ops.cast(ops.logical_and(inexact, below), dtype));
}

template <typename Ops, typename V = typename Ops::Value>
void ElementwiseDiv(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const V& a, const V& b) {
    return IsInteger(ops.dtype(a)) ? WholePart(ops, a, b) : ops.divide(a, b);
  });
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_DIV_H_
