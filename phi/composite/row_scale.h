// SPDX-License-Identifier: Apache-2.0
// ScaleOfRows: what rows are multiplied by before they are squared, so that the
// squares stay in the range of their dtype. Parts of composites that divide by
// roots of sums of squares, which a factor leaves as they are.
#ifndef SWITCHYARD_PHI_COMPOSITE_ROW_SCALE_H_
#define SWITCHYARD_PHI_COMPOSITE_ROW_SCALE_H_

#include <cmath>
#include <limits>

#include "framework/types/data_type.h"
#include "phi/composite/calls/less_equal.gen.h"
#include "phi/composite/calls/less_than.gen.h"
#include "phi/composite/calls/where.gen.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// A power of two for each row, 1 for those whose squares are in the range, and
// the epsilon that is added to the squares of the row times that.
struct RowScale {
  Value factor;
  Value epsilon;
};

// `squares`: sums or means of squares of rows, float32 or float64, which may be
// infinite or have lost bits. A larger epsilon outweighs what has vanished.
inline RowScale ScaleOfRows(Ops& ops, const Value& squares, double epsilon) {
  const bool wide = ops.dtype(squares) == DataType::kFloat64;
  const double most = wide ? std::numeric_limits<double>::max()
                           : std::numeric_limits<float>::max();
  const double least = std::ldexp(1.0, wide ? -900 : -100);
  const double down = std::ldexp(1.0, wide ? -761 : -89);
  const double up = std::ldexp(1.0, wide ? 755 : 86);
  const auto full = [&](double number) {
    return FullLike(ops, squares, number);
  };
  const Value fits = op::less_equal(ops, squares, full(most));
  RowScale scale = {
      op::where(ops, fits, full(1.0), full(down)),
      op::where(ops, fits, full(epsilon), full(epsilon * down * down))};
  if (epsilon < least) {
    const Value small = op::less_than(ops, squares, full(least));
    scale = {op::where(ops, small, full(up), scale.factor),
             op::where(ops, small, full(epsilon * up * up), scale.epsilon)};
  }
  return scale;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ROW_SCALE_H_
