// SPDX-License-Identifier: Apache-2.0
// The gradients of decompositions of matrices, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_DECOMPOSITION_H_
#define SWITCHYARD_PHI_COMPOSITE_DECOMPOSITION_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/extents.h"
#include "phi/composite/matrix.h"

namespace switchyard::phi::composite {

// The gradient of qr. With as many rows as columns or more, for the gradients g
// of q and h of r, M = r h^H - g^H q and the symmetric matrix S with the lower
// triangle of M (a Hermitian one, of whose diagonal the real part counts):
// (g + q S) r^-H. With fewer rows, x = [X, Y] and r = [U, W]:
// that of X = q U, whose g has Y (h of W)^H besides, and q (h of W) (M. Seeger
// and others, "Auto-Differentiating Linear Algebra", 2017). Unimplemented for
// the mode `r`, and for `complete` with more rows than columns. Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void QrGrad(Ops& ops, const V& x, const V& q, const V& r, const V& q_grad,
            const V& r_grad, std::string_view mode, V* x_grad) {
  if (x_grad == nullptr) return;
  const Shape shape = ops.shape(x);
  const Dim rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  if (!rows.known() || !columns.known()) {
    return ops.Fail(UnknownShapeError("x"));
  }
  const int64_t m = rows.value(), n = columns.value();
  if (mode == "r" || (mode == "complete" && m > n)) {
    return ops.Fail(absl::UnimplementedError(
        "mode must be reduced for a gradient, got " + std::string(mode)));
  }
  const auto of_square = [&](const V& upper, const V& upper_grad, const V& g) {
    const V product = ops.subtract(TimesAdjoint(ops, upper, upper_grad),
                                   AdjointTimes(ops, g, q));
    const V below = AdjointMatrices(ops, ops.tril(product, -1));
    V symmetric = ops.add(ops.tril(product, 0), below);
    if (IsComplex(ops.dtype(symmetric))) {
      symmetric =
          Times(ops, ops.add(symmetric, AdjointMatrices(ops, symmetric)), 0.5);
    }
    const V sum = ops.add(g, ops.matmul(q, symmetric, false, false));
    return AdjointMatrices(
        ops, ops.triangular_solve(upper, AdjointMatrices(ops, sum), true, false,
                                  false));
  };
  if (m >= n) {
    *x_grad = of_square(r, r_grad, q_grad);
    return;
  }
  const V rest_grad = LastOf(ops, r_grad, -1, m);
  const V g =
      ops.add(q_grad, TimesAdjoint(ops, LastOf(ops, x, -1, m), rest_grad));
  const V of_first =
      of_square(FirstOf(ops, r, -1, m), FirstOf(ops, r_grad, -1, m), g);
  const V of_rest = ops.matmul(q, rest_grad, false, false);
  std::vector<int64_t> after(2 * shape.rank()), before(2 * shape.rank());
  after.back() = n - m;
  before[before.size() - 2] = m;
  *x_grad = ops.add(ops.pad(of_first, after, Scalar(0.0)),
                    ops.pad(of_rest, before, Scalar(0.0)));
}

// The gradient of vectors, the columns of `vectors`, before each was turned so
// that its entry of largest magnitude is positive. `turning` has a row of the
// derivatives by the phases of vectors (and of what turns with them), which the
// turn takes away; real vectors have none.
template <typename Ops, typename V = typename Ops::Value>
V BeforeTurning(Ops& ops, const V& vectors, const V& grad, const V& turning) {
  const int64_t rows[] = {-2};
  const V length = ops.abs(vectors);
  const V largest = ops.equal(length, ops.max(length, rows, true));
  const V entries = ops.where(largest, vectors, FullLike(ops, vectors, 0));
  const V squares =
      ops.sum(ops.square(ops.abs(entries)), rows, DataType::kUndefined, true);
  const V part = ops.divide(turning, squares);
  const V factor = ops.complex(FullLike(ops, part, 0), part);
  return ops.add(grad, ops.multiply(entries, factor));
}

// The imaginary parts of the sums of conj(grad) * v along an axis, which stays.
template <typename Ops, typename V = typename Ops::Value>
V TurningOf(Ops& ops, const V& v, const V& grad, int64_t axis) {
  const int64_t axes[] = {axis};
  const V products = ops.multiply(Conjugated(ops, grad), v);
  return ops.imag(ops.sum(products, axes, DataType::kUndefined, true));
}

// The matrices that have 1 / (2 s^2) on their diagonals, of the rows s^2; 0
// where that is infinite.
template <typename Ops, typename V = typename Ops::Value>
V HalfInverses(Ops& ops, const V& squares, const V& like) {
  const V zero = FullLike(ops, squares, 0);
  const V none = ops.equal(squares, zero);
  const V divisors = ops.where(none, FullLike(ops, squares, 1), squares);
  const V halves =
      ops.where(none, zero, ops.divide(FullLike(ops, squares, 0.5), divisors));
  const V ones = FullLike(ops, like, 1);
  const V identity = ops.subtract(ops.tril(ones, 0), ops.tril(ones, -1));
  return ops.multiply(identity, AsRow(ops, halves));
}

// The gradient of svd, of the first k = min(m, n) singular vectors: with
// skew(A) = A - A^H and F_ij = 1 / (s_j^2 - s_i^2), 0 where that is infinite,
//   u (F * skew(u^H u') diag(s) + diag(s) F * skew(v^H v') + diag(s')) v^H
//   + (1 - u u^H) u' diag(1/s) v^H + u diag(1/s) (v')^H (1 - v v^H),
// in which a dash marks a gradient (J. Townsend, "Differentiating the Singular
// Value Decomposition", 2016). Of complex numbers, whose skew(u^H u') has a
// diagonal, F has 1 / (2 s^2) there before u, and u' is that before the vectors
// were turned. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SvdGrad(Ops& ops, const V& u, const V& s, const V& vh, const V& u_grad,
             const V& s_grad, const V& vh_grad, bool full_matrices, V* x_grad) {
  if (x_grad == nullptr) return;
  const Dim rows = ops.shape(u)[ops.shape(u).rank() - 2];
  const Dim columns = ops.shape(vh)[ops.shape(vh).rank() - 1];
  const Dim k = ops.shape(s)[ops.shape(s).rank() - 1];
  if (full_matrices && !k.known()) return ops.Fail(UnknownShapeError("x"));
  const auto first = [&](const V& v, int axis) {
    return full_matrices ? FirstOf(ops, v, axis, k.value()) : v;
  };
  const bool complex = IsComplex(ops.dtype(u));
  const V left = first(u, -1), right = first(vh, -2);
  const V right_grad = first(vh_grad, -2);
  V left_grad = first(u_grad, -1);
  const V squares = ops.square(s);
  const V factors = InverseDifferences(ops, squares);
  V left_factors = factors;
  if (complex) {
    const V turning = ops.subtract(
        TurningOf(ops, left, left_grad, -2),
        TransposedMatrices(ops, TurningOf(ops, right, right_grad, -1)));
    left_grad = BeforeTurning(ops, left, left_grad, turning);
    left_factors = ops.add(factors, HalfInverses(ops, squares, factors));
  }
  const auto skew = [&](const V& v) {
    return ops.subtract(v, AdjointMatrices(ops, v));
  };
  const V row = InDtypeOf(ops, u, AsRow(ops, s));
  const V column = InDtypeOf(ops, u, AsColumns(ops, s));
  const V turn_left = skew(AdjointTimes(ops, left, left_grad));
  const V turn_right = skew(TimesAdjoint(ops, right, right_grad));
  const V by_left = ops.multiply(
      ops.multiply(InDtypeOf(ops, u, left_factors), turn_left), row);
  const V by_right = ops.multiply(
      column, ops.multiply(InDtypeOf(ops, u, factors), turn_right));
  const V inner = ops.add(by_left, by_right);
  const V stretched = ops.multiply(left, InDtypeOf(ops, u, AsRow(ops, s_grad)));
  V sum = ops.add(ops.matmul(left, inner, false, false), stretched);
  if (rows != k) {
    const V within =
        ops.matmul(left, AdjointTimes(ops, left, left_grad), false, false);
    sum = ops.add(sum, ops.divide(ops.subtract(left_grad, within), row));
  }
  *x_grad = ops.matmul(sum, right, false, false);
  if (columns != k) {
    const V within =
        ops.matmul(TimesAdjoint(ops, right_grad, right), right, false, false);
    const V beyond = ops.divide(ops.subtract(right_grad, within), column);
    *x_grad = ops.add(*x_grad, ops.matmul(left, beyond, false, false));
  }
}

// The gradient of svdvals: u diag(g) v^H. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SvdvalsGrad(Ops& ops, const V& x, const V& s_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const auto parts = ops.svd(x, /*full_matrices=*/false);
  const V row = InDtypeOf(ops, x, AsRow(ops, s_grad));
  *x_grad = ops.matmul(ops.multiply(parts[0], row), parts[2], false, false);
}

// The gradient of eigh: v (diag(g_w) + F * v^H g_v) v^H, in which F has 1 over
// the difference of two eigenvalues, 0 where that is 0; of complex numbers g_v
// is that before the vectors were turned. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void EighGrad(Ops& ops, const V& out_w, const V& out_v, const V& out_w_grad,
              const V& out_v_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  V vectors_grad = out_v_grad;
  if (IsComplex(ops.dtype(out_v))) {
    vectors_grad = BeforeTurning(ops, out_v, out_v_grad,
                                 TurningOf(ops, out_v, out_v_grad, -2));
  }
  const V factors = InDtypeOf(ops, out_v, InverseDifferences(ops, out_w));
  const V turning =
      ops.multiply(factors, AdjointTimes(ops, out_v, vectors_grad));
  const V turned = ops.matmul(out_v, turning, false, false);
  const V row = InDtypeOf(ops, out_v, AsRow(ops, out_w_grad));
  const V stretched = ops.multiply(out_v, row);
  *x_grad = TimesAdjoint(ops, ops.add(turned, stretched), out_v);
}

// The gradient of eigvalsh: v diag(g) v^H. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void EigvalshGrad(Ops& ops, const V& x, const V& eigenvalues_grad,
                  std::string_view uplo, V* x_grad) {
  if (x_grad == nullptr) return;
  const V vectors = ops.eigh(x, uplo)[1];
  const V row = InDtypeOf(ops, x, AsRow(ops, eigenvalues_grad));
  *x_grad = TimesAdjoint(ops, ops.multiply(vectors, row), vectors);
}

// The gradient of lu of square matrices x = P L U: P L^-H F U^-H, in which F
// has the lower triangle of L^H g without its diagonal and the upper one of
// g U^H. P is x (L U)^-1, rounded. Unimplemented for other matrices.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LuGrad(Ops& ops, const V& x, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const Shape shape = ops.shape(x);
  const Dim rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  if (rows != columns) {
    return ops.Fail(absl::UnimplementedError(
        "x must be square for a gradient, got " + ToString(shape)));
  }
  const auto lower_turned = [&](const V& factors, const V& y) {  // L^-T y
    return ops.triangular_solve(factors, y, false, true, true);
  };
  const V left =
      ops.triangular_solve(out, TransposedMatrices(ops, x), true, true, false);
  V permutation = lower_turned(out, left);
  if (IsComplex(ops.dtype(x))) {
    permutation = ops.cast(ops.round(ops.real(permutation), 0), ops.dtype(x));
  } else {
    permutation = ops.round(permutation, 0);
  }
  const V below_grad = ops.tril(out_grad, -1);
  const V of_lower = ops.tril(
      ops.add(AdjointTimes(ops, ops.tril(out, -1), below_grad), below_grad),
      -1);
  const V of_upper =
      ops.triu(TimesAdjoint(ops, ops.triu(out_grad, 0), ops.triu(out, 0)), 0);
  const V inner =
      lower_turned(Conjugated(ops, out), ops.add(of_lower, of_upper));
  const V turned = ops.triangular_solve(out, AdjointMatrices(ops, inner), true,
                                        false, false);
  *x_grad = ops.matmul(permutation, Conjugated(ops, turned), true, true);
}

// How many singular values, or magnitudes of eigenvalues, are above a bound and
// above a share of the largest.
template <typename Ops, typename V = typename Ops::Value>
void MatrixRankAtolRtol(Ops& ops, const V& x, const V& atol, const V& rtol,
                        bool hermitian, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  if (rank < 2) {
    return ops.Fail(ArgumentError("x", "of rank 2 or more", ToString(shape)));
  }
  const V values = hermitian ? ops.abs(ops.eigvalsh(x, "L")) : ops.svdvals(x);
  const std::vector<int64_t> last = {-1};
  const V largest = ops.max(values, last, true);
  const DataType dtype = ops.dtype(values);
  const V bound = ops.unsqueeze(ops.cast(atol, dtype), last);
  V share;
  if (ops.defined(rtol)) {
    share = ops.unsqueeze(ops.cast(rtol, dtype), last);
  } else {
    const Dim m = shape[rank - 2], n = shape[rank - 1];
    if (!m.known() || !n.known()) return ops.Fail(UnknownShapeError("x"));
    const double epsilon = dtype == DataType::kFloat64
                               ? std::numeric_limits<double>::epsilon()
                               : std::numeric_limits<float>::epsilon();
    const V none = ops.full_like(bound, Scalar(0.0), DataType::kUndefined);
    const auto size = static_cast<double>(std::max(m.value(), n.value()));
    share = ops.where(
        ops.greater_than(bound, none), none,
        ops.full_like(bound, Scalar(size * epsilon), DataType::kUndefined));
  }
  const V least = ops.maximum(bound, ops.multiply(share, largest));
  *out = ops.sum(ops.cast(ops.greater_than(values, least), DataType::kInt64),
                 last, DataType::kUndefined, false);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_DECOMPOSITION_H_
