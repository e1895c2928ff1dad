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
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// |a - b| of int64 in float64: exact if it is below 2^53, whatever a and b are.
// Part of the composites below.
template <typename Ops, typename V>
V WholeDistance(Ops& ops, const V& a, const V& b) {
  // Wraps around to below 0 from 2^63 on.
  const V gap = ops.subtract(ops.maximum(a, b), ops.minimum(a, b));
  const V wide = ops.cast(gap, DataType::kFloat64);
  constexpr double kRound = 18446744073709551616.0;  // 2^64
  return ops.where(ops.less_than(wide, FullLike(ops, wide, 0)),
                   Linear(ops, wide, 1, kRound), wide);
}

// Fails for a tolerance below 0, or NaN, if it is known. Part of the composites
// below.
template <typename Ops>
void CheckTolerance(Ops& ops, const char* argument,
                    AttrArg<const Scalar&> tolerance) {
  if (!tolerance.known() || tolerance.value().ToDouble() >= 0) return;
  ops.Fail(ArgumentError(argument, "at least 0", ToString(tolerance.value())));
}

// Whether |x - y| <= atol + rtol |y|, by element; the distance of integers is
// taken of themselves. Part of the composites below, not an operator's
// composite itself.
template <typename Ops, typename V>
V CloseElements(Ops& ops, const V& x, const V& y, AttrArg<const Scalar&> rtol,
                AttrArg<const Scalar&> atol, bool equal_nan) {
  CheckTolerance(ops, "rtol", rtol);
  CheckTolerance(ops, "atol", atol);
  const auto wide = [&](const V& v) {
    const DataType dtype = ops.dtype(v);
    const bool complex =
        dtype == DataType::kComplex64 || dtype == DataType::kComplex128;
    return ops.cast(v, complex ? DataType::kComplex128 : DataType::kFloat64);
  };
  const V b = wide(y);
  const V allowed = ops.scale(ops.abs(b), rtol, atol, true);
  if (IsInteger(ops.dtype(x)) && IsInteger(ops.dtype(y))) {
    const V distance = WholeDistance(ops, ops.cast(x, DataType::kInt64),
                                     ops.cast(y, DataType::kInt64));
    return ops.less_equal(distance, allowed);
  }
  const V a = wide(x);
  const V distance = ops.abs(ops.subtract(a, b));
  // Infinities have no distance from themselves.
  const V close =
      ops.logical_or(ops.equal(a, b), ops.less_equal(distance, allowed));
  if (!equal_nan) return close;
  const V both = ops.logical_and(ops.not_equal(a, a), ops.not_equal(b, b));
  return ops.logical_or(close, both);
}

// Whether the elements at a position are close to each other.
template <typename Ops, typename V = typename Ops::Value>
void Isclose(Ops& ops, const V& x, const V& y, AttrArg<const Scalar&> rtol,
             AttrArg<const Scalar&> atol, bool equal_nan, V* out) {
  if (out == nullptr) return;
  *out = CloseElements(ops, x, y, rtol, atol, equal_nan);
}

// Whether all elements are close to those at their position.
template <typename Ops, typename V = typename Ops::Value>
void Allclose(Ops& ops, const V& x, const V& y, AttrArg<const Scalar&> rtol,
              AttrArg<const Scalar&> atol, bool equal_nan, V* out) {
  if (out == nullptr) return;
  *out = ops.all(CloseElements(ops, x, y, rtol, atol, equal_nan), {}, false);
}

// Fails for a negative extent. Not an operator's composite itself.
template <typename Ops>
void CheckExtent(Ops& ops, const char* argument, int extent) {
  if (extent >= 0) return;
  ops.Fail(ArgumentError(argument, "at least 0", std::to_string(extent)));
}

// The positions in a triangle of a matrix, as two lists. Not an operator's
// composite itself.
template <typename Ops, typename V, typename Keep>
V TrianglePositions(Ops& ops, int64_t rows, int64_t columns, DataType dtype,
                    Keep keep) {
  const std::vector<int64_t> shape = {rows, columns};
  const V ones = ops.full(shape, Scalar(int64_t{1}), DataType::kInt32);
  const V positions = ops.transpose(ops.nonzero(keep(ones)), {1, 0});
  return dtype == DataType::kInt64 ? positions : ops.cast(positions, dtype);
}

// The positions on and below a diagonal.
template <typename Ops, typename V = typename Ops::Value>
void TrilIndices(Ops& ops, int rows, int cols, int offset, DataType dtype,
                 V* out) {
  if (out == nullptr) return;
  CheckExtent(ops, "rows", rows);
  CheckExtent(ops, "cols", cols);
  *out = TrianglePositions<Ops, V>(
      ops, rows, cols, dtype, [&](const V& v) { return ops.tril(v, offset); });
}

// The positions on and above a diagonal.
template <typename Ops, typename V = typename Ops::Value>
void TriuIndices(Ops& ops, int row, int col, int offset, DataType dtype,
                 V* out) {
  if (out == nullptr) return;
  CheckExtent(ops, "row", row);
  CheckExtent(ops, "col", col);
  *out = TrianglePositions<Ops, V>(
      ops, row, col, dtype, [&](const V& v) { return ops.triu(v, offset); });
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COUNTING_H_
