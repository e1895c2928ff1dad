// SPDX-License-Identifier: Apache-2.0
// Stacks of matrices in composites: the last two axes are a matrix. Not an
// operator's composite itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_MATRIX_H_
#define SWITCHYARD_PHI_COMPOSITE_MATRIX_H_

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

// The matrices of v transposed.
template <typename Ops, typename V = typename Ops::Value>
V TransposedMatrices(Ops& ops, const V& v) {
  std::vector<int> perm(ops.shape(v).rank());
  if (perm.size() < 2) return v;  // The call that made it has failed.
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

template <typename Ops, typename V = typename Ops::Value>
V Negative(Ops& ops, const V& v) {
  return ops.scale(v, Scalar(-1.0), Scalar(0.0), true);
}

// The vectors v as matrices of one column.
template <typename Ops, typename V = typename Ops::Value>
V AsColumns(Ops& ops, const V& v) {
  const int64_t last[] = {-1};
  return ops.unsqueeze(v, last);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MATRIX_H_
