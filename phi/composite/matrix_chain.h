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
template <typename Ops, typename V>
V ProductOfChain(Ops& ops, const std::vector<V>& matrices,
                 const std::vector<std::vector<size_t>>& cuts, size_t first,
                 size_t last) {
  if (first == last) return matrices[first];
  const size_t cut = cuts[first][last];
  return ops.matmul(ProductOfChain(ops, matrices, cuts, first, cut),
                    ProductOfChain(ops, matrices, cuts, cut + 1, last), false,
                    false);
}

// The product of a chain of matrices; extents that are not known count as 1.
template <typename Ops, typename V = typename Ops::Value>
void MultiDot(Ops& ops, const typename Ops::List& x, V* out) {
  constexpr size_t kMax = 64;
  const size_t count = x.size();
  if (count < 2 || count > kMax) {
    return ops.Fail(
        ArgumentError("x", "2 to 64 matrices", std::to_string(count)));
  }
  std::vector<V> matrices;
  for (size_t i = 0; i < count; ++i) matrices.push_back(x[i]);
  const bool row = ops.shape(matrices[0]).rank() == 1;
  const bool column = ops.shape(matrices[count - 1]).rank() == 1;
  if (row) matrices[0] = ops.unsqueeze(matrices[0], {int64_t{0}});
  if (column) {
    matrices[count - 1] = ops.unsqueeze(matrices[count - 1], {int64_t{1}});
  }
  const auto number = [](Dim dim) {
    return dim.known() ? static_cast<double>(dim.value()) : 1.0;
  };
  std::vector<double> extents;
  Dim inner = Dim::Unknown();
  for (const V& matrix : matrices) {
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
  V product = ProductOfChain(ops, matrices, CutsOfChain(extents), 0, count - 1);
  if (column) product = ops.squeeze(product, {int64_t{1}});
  if (row) product = ops.squeeze(product, {int64_t{0}});
  *out = product;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MATRIX_CHAIN_H_
