// SPDX-License-Identifier: Apache-2.0
// The matrices that the factors of lu stand for, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_FACTORS_H_
#define SWITCHYARD_PHI_COMPOSITE_FACTORS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_factors.h"
#include "phi/composite/matrix.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The m by m matrices P of the pivots of lu: a one in row p[i] of column i,
// where p are the rows that the pivots put in place of each. Part of LuUnpack
// and of lu's gradient; not an operator's composite itself.
inline Value PermutationMatrices(Ops& ops, const Value& pivots, int64_t m,
                                 DataType dtype) {
  const Value rows = op::one_hot(ops, op::pivot_permutation(ops, pivots, m),
                                 static_cast<int>(m), false);
  return op::cast(ops, TransposedMatrices(ops, rows), dtype);
}

// The factors of packed ones.
inline void LuUnpack(Ops& ops, const Value& x, const Value& pivots,
                     bool unpack_ludata, bool unpack_pivots, Value* pmat,
                     Value* l, Value* u) {
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  if (rank < 2 || !shape[rank - 2].known() || !shape[rank - 1].known() ||
      shape[rank - 2].value() > kMost || shape[rank - 1].value() > kMost) {
    return ops.Fail(ArgumentError("x", "matrices [..., m, n] of known extents",
                                  ToString(shape)));
  }
  const int64_t m = shape[rank - 2].value(), n = shape[rank - 1].value();
  const int64_t k = std::min(m, n);
  const Shape given = ops.shape(pivots);
  if (given.rank() != rank - 1 || !MayEqual(given[rank - 2], Dim(k))) {
    return ops.Fail(ArgumentError(
        "pivots", "of shape [..., " + std::to_string(k) + "], as x",
        ToString(given)));
  }
  const DataType dtype = ops.dtype(x);
  const auto none = [&] {
    return op::full(ops, std::vector<int64_t>{0}, Scalar(int64_t{0}), dtype);
  };
  if (l != nullptr) {
    *l = unpack_ludata ? op::add(ops, op::tril(ops, FirstOf(ops, x, -1, k), -1),
                                 op::eye(ops, m, k, dtype))
                       : none();
  }
  if (u != nullptr) {
    *u = unpack_ludata ? op::triu(ops, FirstOf(ops, x, -2, k), 0) : none();
  }
  if (pmat == nullptr) return;
  if (!unpack_pivots) {
    *pmat = none();
    return;
  }
  *pmat = PermutationMatrices(ops, pivots, m, dtype);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FACTORS_H_
