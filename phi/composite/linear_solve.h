// SPDX-License-Identifier: Apache-2.0
// Determinants, and the gradients of solutions of linear equations, made of
// operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_LINEAR_SOLVE_H_
#define SWITCHYARD_PHI_COMPOSITE_LINEAR_SOLVE_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_linear_solve.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/matrix.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of cholesky, symmetric (of complex numbers Hermitian) as x is:
// with the lower triangle L, its gradient g and the lower triangle P of L^H g,
// of which the diagonal is halved, S = L^-H P L^-1 and (S + S^H) / 2.
// Differentiable again.
inline void CholeskyGrad(Ops& ops, const Value& out, const Value& out_grad,
                         bool upper, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value lower = upper ? AdjointMatrices(ops, out) : out;
  const Value g = upper ? AdjointMatrices(ops, out_grad) : out_grad;
  const Value turned = Conjugated(ops, lower);
  const Value product = TransposedTimes(ops, turned, g);
  // The triangle with the diagonal and that without: twice P.
  const Value below = op::tril(ops, product, -1);
  const Value twice = op::add(ops, op::tril(ops, product, 0), below);
  const Value left =
      op::triangular_solve(ops, turned, twice, false, true, false);
  const Value s = op::triangular_solve(ops, turned, AdjointMatrices(ops, left),
                                       false, true, false);
  const Value sum = op::add(ops, s, AdjointMatrices(ops, s));
  *x_grad = Times(ops, sum, 0.25);
}

// The gradient of inverse: -out^H g out^H. Differentiable again.
inline void InverseGrad(Ops& ops, const Value& out, const Value& out_grad,
                        Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value left = AdjointTimes(ops, out, out_grad);
  *x_grad = Times(ops, TimesAdjoint(ops, left, out), -1);
}

// The gradient of determinant: g conj(out) x^-H. Differentiable again.
inline void DeterminantGrad(Ops& ops, const Value& x, const Value& out,
                            const Value& out_grad, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value product = op::multiply(ops, out_grad, Conjugated(ops, out));
  const Value factor = AsColumns(ops, AsColumns(ops, product));
  const Value inverse = op::inverse(ops, x);
  *x_grad = op::multiply(ops, AdjointMatrices(ops, inverse), factor);
}

// The signs and logarithms of determinants, from those of the diagonal of lu;
// an exchange of rows turns the sign.
inline void Slogdet(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  if (rank < 2 || !MayEqual(shape[rank - 2], shape[rank - 1])) {
    return ops.Fail(
        ArgumentError("x", "a stack of square matrices", ToString(shape)));
  }
  const DataType same = DataType::kUndefined;
  const auto parts = op::lu(ops, x);
  // The diagonal is taken by a mask: its gradient can be differentiated again.
  const Value each =
      op::full_like(ops, parts[0], Scalar(int64_t{1}), DataType::kInt64);
  const Value mask =
      op::equal(ops, op::cumsum(ops, each, rank - 2, false, false, false),
                op::cumsum(ops, each, rank - 1, false, false, false));
  const Value masked =
      op::where(ops, mask, parts[0], FullLike(ops, parts[0], 0));
  Value diagonal = op::sum(ops, masked, {int64_t{rank} - 1}, same, false);
  if (!shape[rank - 2].known() || !shape[rank - 1].known()) {
    // A run finds out whether they are square: one row, or column, is not to be
    // repeated below. The sums of columns are as many as those of rows then.
    const int64_t rows[] = {rank - 2};
    diagonal = op::reshape_grad(ops, op::sum(ops, masked, rows, same, false),
                                diagonal);
  }
  const Value ones = op::full_like(ops, parts[1], Scalar(int64_t{1}), same);
  const Value stays = op::equal(
      ops, parts[1], op::cumsum(ops, ones, rank - 2, false, false, false));
  const Value plus = FullLike(ops, diagonal, 1);
  const Value minus = FullLike(ops, diagonal, -1);
  const Value signs = op::multiply(ops, op::sign(ops, diagonal),
                                   op::where(ops, stays, plus, minus));
  const int64_t last[] = {rank - 2}, first[] = {0};
  const Value sign = op::prod(ops, signs, last, /*keepdim=*/false);
  const Value size = op::sum(ops, op::log(ops, op::abs(ops, diagonal)), last,
                             same, /*keepdim=*/false);
  // Each beside zeros in the place of the other: their sum has both.
  std::vector<int64_t> above(2 * static_cast<size_t>(rank - 1), 0);
  std::vector<int64_t> below = above;
  below[1] = above[0] = 1;
  *out = op::add(
      ops, op::pad(ops, op::unsqueeze(ops, sign, first), below, Scalar(0.0)),
      op::pad(ops, op::unsqueeze(ops, size, first), above, Scalar(0.0)));
}

// The gradient of slogdet: g x^-T, of the logarithms alone. Differentiable
// again.
inline void SlogdetGrad(Ops& ops, const Value& x, const Value& out_grad,
                        Value* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {0}, starts[] = {1}, ends[] = {2};
  const Value grad =
      op::squeeze(ops, op::slice(ops, out_grad, axes, starts, ends), axes);
  const Value factor = AsColumns(ops, AsColumns(ops, grad));
  const Value inverse = op::inverse(ops, x);
  *x_grad = op::multiply(ops, TransposedMatrices(ops, inverse), factor);
}

// The gradient of solve: x^-H g for y, and -x^-H g out^H for x, with
// broadcasting. Differentiable again.
inline void SolveGrad(Ops& ops, const Value& x, const Value& y,
                      const Value& out, const Value& out_grad, Value* x_grad,
                      Value* y_grad) {
  const Value of_y = op::solve(ops, AdjointMatrices(ops, x), out_grad);
  if (y_grad != nullptr) *y_grad = ReduceTo(ops, of_y, y);
  if (x_grad == nullptr) return;
  const bool vectors = ops.shape(out).rank() < ops.shape(x).rank();
  const Value columns = vectors ? AsColumns(ops, of_y) : of_y;
  const Value solution = vectors ? AsColumns(ops, out) : out;
  const Value of_x = Times(ops, TimesAdjoint(ops, columns, solution), -1);
  *x_grad = ReduceTo(ops, of_x, x);
}

// The gradient of triangular_solve, as that of solve; for x only in its
// triangle, and without the diagonal where that counts as ones. Differentiable
// again.
inline void TriangularSolveGrad(Ops& ops, const Value& x, const Value& y,
                                const Value& out, const Value& out_grad,
                                bool upper, bool transpose, bool unitriangular,
                                Value* x_grad, Value* y_grad) {
  const Value of_y = op::triangular_solve(ops, Conjugated(ops, x), out_grad,
                                          upper, !transpose, unitriangular);
  if (y_grad != nullptr) *y_grad = ReduceTo(ops, of_y, y);
  if (x_grad == nullptr) return;
  const Value solution = Conjugated(ops, out);
  const Value product = transpose ? TimesTransposed(ops, solution, of_y)
                                  : TimesTransposed(ops, of_y, solution);
  const int beside = unitriangular ? 1 : 0;
  const Value within =
      upper ? op::triu(ops, product, beside) : op::tril(ops, product, -beside);
  *x_grad = ReduceTo(ops, Times(ops, within, -1), x);
}

// The gradient of matrix_power: the upper right block of
//   (x^H  g )^n
//   ( 0  x^H)
// which is the derivative of the power of x^H along g (N. Higham, "Functions of
// Matrices", 2008). Differentiable again.
inline void MatrixPowerGrad(Ops& ops, const Value& x, const Value& out_grad,
                            int n, Value* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = ops.shape(x).rank();
  const Dim extent = ops.shape(x)[rank - 1];
  if (!extent.known()) return ops.Fail(UnknownShapeError("x"));
  const int64_t size = extent.value();
  // `block` in the corner of twice as many rows and columns, moved by the rows
  // and columns before it.
  const auto placed = [&](const Value& block, int64_t rows, int64_t columns) {
    std::vector<int64_t> paddings(2 * rank);
    paddings[2 * rank - 4] = rows;
    paddings[2 * rank - 3] = size - rows;
    paddings[2 * rank - 2] = columns;
    paddings[2 * rank - 1] = size - columns;
    return op::pad(ops, block, paddings, Scalar(0.0));
  };
  const Value turned = AdjointMatrices(ops, x);
  const Value first = placed(turned, 0, 0);
  const Value second = placed(turned, size, size);
  const Value diagonal = op::add(ops, first, second);
  const Value power = op::matrix_power(
      ops, op::add(ops, diagonal, placed(out_grad, 0, size)), n);
  const int64_t axes[] = {rank - 2, rank - 1};
  const int64_t starts[] = {0, size};
  const int64_t ends[] = {size, 2 * size};
  *x_grad = op::slice(ops, power, axes, starts, ends);
}

// Solves by one triangle and by its transpose, of complex numbers conjugated.
inline void CholeskySolve(Ops& ops, const Value& x, const Value& y, bool upper,
                          Value* out) {
  const Shape sides = ops.shape(x), matrices = ops.shape(y);
  const int rows = sides.rank() - 2, size = matrices.rank() - 2;
  if (size < 0 || !MayEqual(matrices[size], matrices[size + 1])) {
    return ops.Fail(
        ArgumentError("y", "a stack of square matrices", ToString(matrices)));
  }
  if (rows < 0 || !MayEqual(sides[rows], matrices[size])) {
    return ops.Fail(ArgumentError(
        "x", "a stack of matrices of " + ToString(matrices[size]) + " rows",
        ToString(sides)));
  }
  if (out == nullptr) return;
  const Value turned = Conjugated(ops, y);
  const Value half = op::triangular_solve(ops, upper ? turned : y, x, upper,
                                          /*transpose=*/upper, false);
  *out = op::triangular_solve(ops, upper ? y : turned, half, upper,
                              /*transpose=*/!upper, false);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LINEAR_SOLVE_H_
