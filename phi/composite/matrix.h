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
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// The matrices of v transposed.
template <typename Ops, typename V = typename Ops::Value>
V TransposedMatrices(Ops& ops, const V& v) {
  std::vector<int> perm(ops.shape(v).rank());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 2], perm[perm.size() - 1]);
  return ops.transpose(v, perm);
}

// x y^T of the matrices x and y.
template <typename Ops, typename V = typename Ops::Value>
V TimesTransposed(Ops& ops, const V& x, const V& y) {
  return ops.matmul(x, y, false, true);
}

// x^T y.
template <typename Ops, typename V = typename Ops::Value>
V TransposedTimes(Ops& ops, const V& x, const V& y) {
  return ops.matmul(x, y, true, false);
}

// v^H: the matrices of v transposed and, of complex numbers, conjugated.
template <typename Ops, typename V = typename Ops::Value>
V AdjointMatrices(Ops& ops, const V& v) {
  return TransposedMatrices(ops, Conjugated(ops, v));
}

// x y^H.
template <typename Ops, typename V = typename Ops::Value>
V TimesAdjoint(Ops& ops, const V& x, const V& y) {
  return TimesTransposed(ops, x, Conjugated(ops, y));
}

// x^H y.
template <typename Ops, typename V = typename Ops::Value>
V AdjointTimes(Ops& ops, const V& x, const V& y) {
  return TransposedTimes(ops, Conjugated(ops, x), y);
}

// The real numbers v in the dtype of `like`, which may be complex.
template <typename Ops, typename V = typename Ops::Value>
V InDtypeOf(Ops& ops, const V& like, const V& v) {
  if (!IsComplex(ops.dtype(like))) return v;
  return ops.cast(v, ops.dtype(like));
}

// The vectors v as matrices of one column.
template <typename Ops, typename V = typename Ops::Value>
V AsColumns(Ops& ops, const V& v) {
  const int64_t last[] = {-1};
  return ops.unsqueeze(v, last);
}

// The vectors v as matrices of one row.
template <typename Ops, typename V = typename Ops::Value>
V AsRow(Ops& ops, const V& v) {
  const int64_t second_last[] = {-2};
  return ops.unsqueeze(v, second_last);
}

// The first `count` positions of an axis, or those from `begin` on; the axis is
// counted from the end.
template <typename Ops, typename V = typename Ops::Value>
V FirstOf(Ops& ops, const V& v, int axis, int64_t count) {
  const int64_t axes[] = {ops.shape(v).rank() + axis};
  const int64_t starts[] = {0};
  const int64_t ends[] = {count};
  return ops.slice(v, axes, starts, ends);
}
template <typename Ops, typename V = typename Ops::Value>
V LastOf(Ops& ops, const V& v, int axis, int64_t begin) {
  const int64_t axes[] = {ops.shape(v).rank() + axis};
  const int64_t starts[] = {begin};
  const int64_t ends[] = {std::numeric_limits<int64_t>::max()};
  return ops.slice(v, axes, starts, ends);
}

// The matrices of 1 / (w_j - w_i) for the vectors w, 0 where that is infinite.
template <typename Ops, typename V = typename Ops::Value>
V InverseDifferences(Ops& ops, const V& w) {
  const V columns = AsColumns(ops, w);
  const V differences = ops.subtract(AsRow(ops, w), columns);
  const V zero = FullLike(ops, differences, 0);
  const V one = FullLike(ops, differences, 1);
  const V none = ops.equal(differences, zero);
  const V divisors = ops.where(none, one, differences);
  return ops.where(none, zero, ops.divide(one, divisors));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MATRIX_H_
