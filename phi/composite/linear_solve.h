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
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/matrix.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of cholesky, symmetric (of complex numbers Hermitian) as x is:
// with the lower triangle L, its gradient g and the lower triangle P of L^H g,
// of which the diagonal is halved, S = L^-H P L^-1 and (S + S^H) / 2.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void CholeskyGrad(Ops& ops, const V& out, const V& out_grad, bool upper,
                  V* x_grad) {
  if (x_grad == nullptr) return;
  const V lower = upper ? AdjointMatrices(ops, out) : out;
  const V g = upper ? AdjointMatrices(ops, out_grad) : out_grad;
  const V turned = Conjugated(ops, lower);
  const V product = TransposedTimes(ops, turned, g);
  // The triangle with the diagonal and that without: twice P.
  const V below = ops.tril(product, -1);
  const V twice = ops.add(ops.tril(product, 0), below);
  const V left = ops.triangular_solve(turned, twice, false, true, false);
  const V s = ops.triangular_solve(turned, AdjointMatrices(ops, left), false,
                                   true, false);
  const V sum = ops.add(s, AdjointMatrices(ops, s));
  *x_grad = Times(ops, sum, 0.25);
}

// The gradient of inverse: -out^H g out^H. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void InverseGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V left = AdjointTimes(ops, out, out_grad);
  *x_grad = Times(ops, TimesAdjoint(ops, left, out), -1);
}

// The gradient of determinant: g conj(out) x^-H. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void DeterminantGrad(Ops& ops, const V& x, const V& out, const V& out_grad,
                     V* x_grad) {
  if (x_grad == nullptr) return;
  const V product = ops.multiply(out_grad, Conjugated(ops, out));
  const V factor = AsColumns(ops, AsColumns(ops, product));
  const V inverse = ops.inverse(x);
  *x_grad = ops.multiply(AdjointMatrices(ops, inverse), factor);
}

// The signs and logarithms of determinants, from those of the diagonal of lu;
// an exchange of rows turns the sign.
template <typename Ops, typename V = typename Ops::Value>
void Slogdet(Ops& ops, const V& x, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  if (rank < 2 || !MayEqual(shape[rank - 2], shape[rank - 1])) {
    return ops.Fail(
        ArgumentError("x", "a stack of square matrices", ToString(shape)));
  }
  const DataType same = DataType::kUndefined;
  const auto parts = ops.lu(x);
  // The diagonal is taken by a mask: its gradient can be differentiated again.
  const V each = ops.full_like(parts[0], Scalar(int64_t{1}), DataType::kInt64);
  const V mask = ops.equal(ops.cumsum(each, rank - 2, false, false, false),
                           ops.cumsum(each, rank - 1, false, false, false));
  const V masked = ops.where(mask, parts[0], FullLike(ops, parts[0], 0));
  const V diagonal = ops.sum(masked, {int64_t{rank} - 1}, same, false);
  const V ones = ops.full_like(parts[1], Scalar(int64_t{1}), same);
  const V stays =
      ops.equal(parts[1], ops.cumsum(ones, rank - 2, false, false, false));
  const V plus = FullLike(ops, diagonal, 1);
  const V minus = FullLike(ops, diagonal, -1);
  const V signs =
      ops.multiply(ops.sign(diagonal), ops.where(stays, plus, minus));
  const int64_t last[] = {rank - 2}, first[] = {0};
  const V sign = ops.prod(signs, last, /*keepdim=*/false);
  const V size =
      ops.sum(ops.log(ops.abs(diagonal)), last, same, /*keepdim=*/false);
  // Each beside zeros in the place of the other: their sum has both.
  std::vector<int64_t> above(2 * static_cast<size_t>(rank - 1), 0);
  std::vector<int64_t> below = above;
  below[1] = above[0] = 1;
  *out = ops.add(ops.pad(ops.unsqueeze(sign, first), below, Scalar(0.0)),
                 ops.pad(ops.unsqueeze(size, first), above, Scalar(0.0)));
}

// The gradient of slogdet: g x^-T, of the logarithms alone. Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void SlogdetGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {0}, starts[] = {1}, ends[] = {2};
  const V grad = ops.squeeze(ops.slice(out_grad, axes, starts, ends), axes);
  const V factor = AsColumns(ops, AsColumns(ops, grad));
  const V inverse = ops.inverse(x);
  *x_grad = ops.multiply(TransposedMatrices(ops, inverse), factor);
}

// The gradient of solve: x^-H g for y, and -x^-H g out^H for x, with
// broadcasting. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SolveGrad(Ops& ops, const V& x, const V& y, const V& out,
               const V& out_grad, V* x_grad, V* y_grad) {
  const V of_y = ops.solve(AdjointMatrices(ops, x), out_grad);
  if (y_grad != nullptr) *y_grad = ReduceTo(ops, of_y, y);
  if (x_grad == nullptr) return;
  const bool vectors = ops.shape(out).rank() < ops.shape(x).rank();
  const V columns = vectors ? AsColumns(ops, of_y) : of_y;
  const V solution = vectors ? AsColumns(ops, out) : out;
  const V of_x = Times(ops, TimesAdjoint(ops, columns, solution), -1);
  *x_grad = ReduceTo(ops, of_x, x);
}

// The gradient of triangular_solve, as that of solve; for x only in its
// triangle, and without the diagonal where that counts as ones. Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void TriangularSolveGrad(Ops& ops, const V& x, const V& y, const V& out,
                         const V& out_grad, bool upper, bool transpose,
                         bool unitriangular, V* x_grad, V* y_grad) {
  const V of_y = ops.triangular_solve(Conjugated(ops, x), out_grad, upper,
                                      !transpose, unitriangular);
  if (y_grad != nullptr) *y_grad = ReduceTo(ops, of_y, y);
  if (x_grad == nullptr) return;
  const V solution = Conjugated(ops, out);
  const V product = transpose ? TimesTransposed(ops, solution, of_y)
                              : TimesTransposed(ops, of_y, solution);
  const int beside = unitriangular ? 1 : 0;
  const V within =
      upper ? ops.triu(product, beside) : ops.tril(product, -beside);
  *x_grad = ReduceTo(ops, Times(ops, within, -1), x);
}

// The gradient of matrix_power: the upper right block of
//   (x^H  g )^n
//   ( 0  x^H)
// which is the derivative of the power of x^H along g (N. Higham, "Functions of
// Matrices", 2008). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void MatrixPowerGrad(Ops& ops, const V& x, const V& out_grad, int n,
                     V* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = ops.shape(x).rank();
  const Dim extent = ops.shape(x)[rank - 1];
  if (!extent.known()) return ops.Fail(UnknownShapeError("x"));
  const int64_t size = extent.value();
  // `block` in the corner of twice as many rows and columns, moved by the rows
  // and columns before it.
  const auto placed = [&](const V& block, int64_t rows, int64_t columns) {
    std::vector<int64_t> paddings(2 * rank);
    paddings[2 * rank - 4] = rows;
    paddings[2 * rank - 3] = size - rows;
    paddings[2 * rank - 2] = columns;
    paddings[2 * rank - 1] = size - columns;
    return ops.pad(block, paddings, Scalar(0.0));
  };
  const V turned = AdjointMatrices(ops, x);
  const V first = placed(turned, 0, 0);
  const V second = placed(turned, size, size);
  const V diagonal = ops.add(first, second);
  const V power =
      ops.matrix_power(ops.add(diagonal, placed(out_grad, 0, size)), n);
  const int64_t axes[] = {rank - 2, rank - 1};
  const int64_t starts[] = {0, size};
  const int64_t ends[] = {size, 2 * size};
  *x_grad = ops.slice(power, axes, starts, ends);
}

// Solves by one triangle and by its transpose, of complex numbers conjugated.
template <typename Ops, typename V = typename Ops::Value>
void CholeskySolve(Ops& ops, const V& x, const V& y, bool upper, V* out) {
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
  const V turned = Conjugated(ops, y);
  const V half = ops.triangular_solve(upper ? turned : y, x, upper,
                                      /*transpose=*/upper, false);
  *out = ops.triangular_solve(upper ? y : turned, half, upper,
                              /*transpose=*/!upper, false);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LINEAR_SOLVE_H_
