// SPDX-License-Identifier: Apache-2.0
// Stacks of matrices in composites: the last two axes are a matrix. Not an
// operator's composite itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_MATRIX_H_
#define SWITCHYARD_PHI_COMPOSITE_MATRIX_H_

#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "framework/types/data_type.h"
#include "phi/composite/calls/cast.gen.h"
#include "phi/composite/calls/divide.gen.h"
#include "phi/composite/calls/equal.gen.h"
#include "phi/composite/calls/matmul.gen.h"
#include "phi/composite/calls/slice.gen.h"
#include "phi/composite/calls/subtract.gen.h"
#include "phi/composite/calls/transpose.gen.h"
#include "phi/composite/calls/unsqueeze.gen.h"
#include "phi/composite/calls/where.gen.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The matrices of v transposed.
inline Value TransposedMatrices(Ops& ops, const Value& v) {
  std::vector<int> perm(ops.shape(v).rank());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 2], perm[perm.size() - 1]);
  return op::transpose(ops, v, perm);
}

// x y^T of the matrices x and y.
inline Value TimesTransposed(Ops& ops, const Value& x, const Value& y) {
  return op::matmul(ops, x, y, false, true);
}

// x^T y.
inline Value TransposedTimes(Ops& ops, const Value& x, const Value& y) {
  return op::matmul(ops, x, y, true, false);
}

// v^H: the matrices of v transposed and, of complex numbers, conjugated.
inline Value AdjointMatrices(Ops& ops, const Value& v) {
  return TransposedMatrices(ops, Conjugated(ops, v));
}

// x y^H.
inline Value TimesAdjoint(Ops& ops, const Value& x, const Value& y) {
  return TimesTransposed(ops, x, Conjugated(ops, y));
}

// x^H y.
inline Value AdjointTimes(Ops& ops, const Value& x, const Value& y) {
  return TransposedTimes(ops, Conjugated(ops, x), y);
}

// The real numbers v in the dtype of `like`, which may be complex.
inline Value InDtypeOf(Ops& ops, const Value& like, const Value& v) {
  if (!IsComplex(ops.dtype(like))) return v;
  return op::cast(ops, v, ops.dtype(like));
}

// The vectors v as matrices of one column.
inline Value AsColumns(Ops& ops, const Value& v) {
  const int64_t last[] = {-1};
  return op::unsqueeze(ops, v, last);
}

// The vectors v as matrices of one row.
inline Value AsRow(Ops& ops, const Value& v) {
  const int64_t second_last[] = {-2};
  return op::unsqueeze(ops, v, second_last);
}

// The first `count` positions of an axis, or those from `begin` on; the axis is
// counted from the end.
inline Value FirstOf(Ops& ops, const Value& v, int axis, int64_t count) {
  const int64_t axes[] = {ops.shape(v).rank() + axis};
  const int64_t starts[] = {0};
  const int64_t ends[] = {count};
  return op::slice(ops, v, axes, starts, ends);
}
inline Value LastOf(Ops& ops, const Value& v, int axis, int64_t begin) {
  const int64_t axes[] = {ops.shape(v).rank() + axis};
  const int64_t starts[] = {begin};
  const int64_t ends[] = {std::numeric_limits<int64_t>::max()};
  return op::slice(ops, v, axes, starts, ends);
}

// The matrices of 1 / (w_j - w_i) for the vectors w, 0 where that is infinite.
inline Value InverseDifferences(Ops& ops, const Value& w) {
  const Value columns = AsColumns(ops, w);
  const Value differences = op::subtract(ops, AsRow(ops, w), columns);
  const Value zero = FullLike(ops, differences, 0);
  const Value one = FullLike(ops, differences, 1);
  const Value none = op::equal(ops, differences, zero);
  const Value divisors = op::where(ops, none, one, differences);
  return op::where(ops, none, zero, op::divide(ops, one, divisors));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MATRIX_H_
