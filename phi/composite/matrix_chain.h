// SPDX-License-Identifier: Apache-2.0
// The product of a chain of matrices, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_MATRIX_CHAIN_H_
#define SWITCHYARD_PHI_COMPOSITE_MATRIX_CHAIN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_matrix_chain.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Where to cut a chain of matrices of these extents, n + 1 for n matrices: of
// the matrices from i to j the first part ends at the cut [i][j].
inline std::vector<std::vector<size_t>> CutsOfChain(
    const std::vector<double>& extents) {
  const size_t count = extents.size() - 1;
  std::vector<std::vector<double>> cost(count, std::vector<double>(count));
  std::vector<std::vector<size_t>> cuts(count, std::vector<size_t>(count));
  for (size_t length = 1; length < count; ++length) {
    for (size_t i = 0; i + length < count; ++i) {
      const size_t j = i + length;
      for (size_t k = i; k < j; ++k) {
        const double product = extents[i] * extents[k + 1] * extents[j + 1];
        const double all = cost[i][k] + cost[k + 1][j] + product;
        if (k != i && all >= cost[i][j]) continue;
        cost[i][j] = all;
        cuts[i][j] = k;
      }
    }
  }
  return cuts;
}

// The product of the matrices from `first` to `last`. Not an operator's
// composite itself.
inline Value ProductOfChain(Ops& ops, const std::vector<Value>& matrices,
                            const std::vector<std::vector<size_t>>& cuts,
                            size_t first, size_t last) {
  if (first == last) return matrices[first];
  const size_t cut = cuts[first][last];
  return op::matmul(ops, ProductOfChain(ops, matrices, cuts, first, cut),
                    ProductOfChain(ops, matrices, cuts, cut + 1, last), false,
                    false);
}

// The product of a chain of matrices; extents that are not known count as 1.
inline void MultiDot(Ops& ops, const List& x, Value* out) {
  constexpr size_t kMax = 64;
  const size_t count = x.size();
  if (count < 2 || count > kMax) {
    return ops.Fail(
        ArgumentError("x", "2 to 64 matrices", std::to_string(count)));
  }
  std::vector<Value> matrices;
  for (size_t i = 0; i < count; ++i) matrices.push_back(x[i]);
  const bool row = ops.shape(matrices[0]).rank() == 1;
  const bool column = ops.shape(matrices[count - 1]).rank() == 1;
  if (row) matrices[0] = op::unsqueeze(ops, matrices[0], {int64_t{0}});
  if (column) {
    matrices[count - 1] = op::unsqueeze(ops, matrices[count - 1], {int64_t{1}});
  }
  const auto number = [](Dim dim) {
    return dim.known() ? static_cast<double>(dim.value()) : 1.0;
  };
  std::vector<double> extents;
  Dim inner = Dim::Unknown();
  for (const Value& matrix : matrices) {
    const Shape shape = ops.shape(matrix);
    if (shape.rank() != 2) {
      return ops.Fail(ArgumentError("x", "matrices, or vectors at the ends",
                                    ToString(shape)));
    }
    if (extents.empty()) {
      extents.push_back(number(shape[0]));
    } else if (!MayEqual(inner, shape[0])) {
      return ops.Fail(ArgumentError(
          "x", "with " + ToString(inner) + " rows in the next matrix",
          ToString(shape)));
    }
    inner = shape[1];
    extents.push_back(number(shape[1]));
  }
  if (out == nullptr) return;
  Value product =
      ProductOfChain(ops, matrices, CutsOfChain(extents), 0, count - 1);
  if (column) product = op::squeeze(ops, product, {int64_t{1}});
  if (row) product = op::squeeze(ops, product, {int64_t{0}});
  *out = product;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MATRIX_CHAIN_H_
