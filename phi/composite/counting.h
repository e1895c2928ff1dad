// SPDX-License-Identifier: Apache-2.0
// Comparisons of whole tensors within a tolerance, and positions in triangles
// of matrices, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_COUNTING_H_
#define SWITCHYARD_PHI_COMPOSITE_COUNTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/calls/of_counting.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// |a - b| of int64 in float64: exact if it is below 2^53, whatever a and b are.
// Part of the composites below.
inline Value WholeDistance(Ops& ops, const Value& a, const Value& b) {
  // Wraps around to below 0 from 2^63 on.
  const Value gap =
      op::subtract(ops, op::maximum(ops, a, b), op::minimum(ops, a, b));
  const Value wide = op::cast(ops, gap, DataType::kFloat64);
  constexpr double kRound = 18446744073709551616.0;  // 2^64
  return op::where(ops, op::less_than(ops, wide, FullLike(ops, wide, 0)),
                   Linear(ops, wide, 1, kRound), wide);
}

// Fails for a tolerance below 0, or NaN, if it is known. Part of the composites
// below.
inline void CheckTolerance(Ops& ops, const char* argument,
                           AttrArg<const Scalar&> tolerance) {
  if (!tolerance.known() || tolerance.value().ToDouble() >= 0) return;
  ops.Fail(ArgumentError(argument, "at least 0", ToString(tolerance.value())));
}

// Whether |x - y| <= atol + rtol |y|, by element; the distance of integers is
// taken of themselves. Part of the composites below, not an operator's
// composite itself.
inline Value CloseElements(Ops& ops, const Value& x, const Value& y,
                           AttrArg<const Scalar&> rtol,
                           AttrArg<const Scalar&> atol, bool equal_nan) {
  CheckTolerance(ops, "rtol", rtol);
  CheckTolerance(ops, "atol", atol);
  const auto wide = [&](const Value& v) {
    const DataType dtype = ops.dtype(v);
    const bool complex =
        dtype == DataType::kComplex64 || dtype == DataType::kComplex128;
    return op::cast(ops, v,
                    complex ? DataType::kComplex128 : DataType::kFloat64);
  };
  const Value b = wide(y);
  const Value allowed = op::scale(ops, op::abs(ops, b), rtol, atol, true);
  if (IsInteger(ops.dtype(x)) && IsInteger(ops.dtype(y))) {
    const Value distance =
        WholeDistance(ops, op::cast(ops, x, DataType::kInt64),
                      op::cast(ops, y, DataType::kInt64));
    return op::less_equal(ops, distance, allowed);
  }
  const Value a = wide(x);
  const Value distance = op::abs(ops, op::subtract(ops, a, b));
  // Infinities have no distance from themselves.
  const Value close = op::logical_or(ops, op::equal(ops, a, b),
                                     op::less_equal(ops, distance, allowed));
  if (!equal_nan) return close;
  const Value both =
      op::logical_and(ops, op::not_equal(ops, a, a), op::not_equal(ops, b, b));
  return op::logical_or(ops, close, both);
}

// Whether the elements at a position are close to each other.
inline void Isclose(Ops& ops, const Value& x, const Value& y,
                    AttrArg<const Scalar&> rtol, AttrArg<const Scalar&> atol,
                    bool equal_nan, Value* out) {
  if (out == nullptr) return;
  *out = CloseElements(ops, x, y, rtol, atol, equal_nan);
}

// Whether all elements are close to those at their position.
inline void Allclose(Ops& ops, const Value& x, const Value& y,
                     AttrArg<const Scalar&> rtol, AttrArg<const Scalar&> atol,
                     bool equal_nan, Value* out) {
  if (out == nullptr) return;
  *out =
      op::all(ops, CloseElements(ops, x, y, rtol, atol, equal_nan), {}, false);
}

// Fails for a negative extent. Not an operator's composite itself.
inline void CheckExtent(Ops& ops, const char* argument, int extent) {
  if (extent >= 0) return;
  ops.Fail(ArgumentError(argument, "at least 0", std::to_string(extent)));
}

// The positions in a triangle of a matrix, as two lists. Not an operator's
// composite itself.
template <typename Keep>
Value TrianglePositions(Ops& ops, int64_t rows, int64_t columns, DataType dtype,
                        Keep keep) {
  const std::vector<int64_t> shape = {rows, columns};
  const Value ones = op::full(ops, shape, Scalar(int64_t{1}), DataType::kInt32);
  const Value positions =
      op::transpose(ops, op::nonzero(ops, keep(ones)), {1, 0});
  return dtype == DataType::kInt64 ? positions
                                   : op::cast(ops, positions, dtype);
}

// The positions on and below a diagonal.
inline void TrilIndices(Ops& ops, int rows, int cols, int offset,
                        DataType dtype, Value* out) {
  if (out == nullptr) return;
  CheckExtent(ops, "rows", rows);
  CheckExtent(ops, "cols", cols);
  *out = TrianglePositions(ops, rows, cols, dtype, [&](const Value& v) {
    return op::tril(ops, v, offset);
  });
}

// The positions on and above a diagonal.
inline void TriuIndices(Ops& ops, int row, int col, int offset, DataType dtype,
                        Value* out) {
  if (out == nullptr) return;
  CheckExtent(ops, "row", row);
  CheckExtent(ops, "col", col);
  *out = TrianglePositions(ops, row, col, dtype, [&](const Value& v) {
    return op::triu(ops, v, offset);
  });
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COUNTING_H_
