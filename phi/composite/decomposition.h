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
#include "phi/composite/calls/of_decomposition.h"
#include "phi/composite/extents.h"
#include "phi/composite/factors.h"
#include "phi/composite/lists.h"
#include "phi/composite/matrix.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The gradient of qr. With as many rows as columns or more, for the gradients g
// of q and h of r, M = r h^H - g^H q and the symmetric matrix S with the lower
// triangle of M (a Hermitian one, of whose diagonal the real part counts):
// (g + q S) r^-H. With fewer rows, x = [X, Y] and r = [U, W]:
// that of X = q U, whose g has Y (h of W)^H besides, and q (h of W) (M. Seeger
// and others, "Auto-Differentiating Linear Algebra", 2017). Unimplemented for
// the mode `r`, and for `complete` with more rows than columns. Differentiable
// again.
inline void QrGrad(Ops& ops, const Value& x, const Value& q, const Value& r,
                   const Value& q_grad, const Value& r_grad,
                   std::string_view mode, Value* x_grad) {
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
  const auto of_square = [&](const Value& upper, const Value& upper_grad,
                             const Value& g) {
    const Value product = op::subtract(
        ops, TimesAdjoint(ops, upper, upper_grad), AdjointTimes(ops, g, q));
    const Value below = AdjointMatrices(ops, op::tril(ops, product, -1));
    Value symmetric = op::add(ops, op::tril(ops, product, 0), below);
    if (IsComplex(ops.dtype(symmetric))) {
      symmetric = Times(
          ops, op::add(ops, symmetric, AdjointMatrices(ops, symmetric)), 0.5);
    }
    const Value sum =
        op::add(ops, g, op::matmul(ops, q, symmetric, false, false));
    return AdjointMatrices(
        ops, op::triangular_solve(ops, upper, AdjointMatrices(ops, sum), true,
                                  false, false));
  };
  if (m >= n) {
    *x_grad = of_square(r, r_grad, q_grad);
    return;
  }
  const Value rest_grad = LastOf(ops, r_grad, -1, m);
  const Value g =
      op::add(ops, q_grad, TimesAdjoint(ops, LastOf(ops, x, -1, m), rest_grad));
  const Value of_first =
      of_square(FirstOf(ops, r, -1, m), FirstOf(ops, r_grad, -1, m), g);
  const Value of_rest = op::matmul(ops, q, rest_grad, false, false);
  std::vector<int64_t> after(2 * shape.rank()), before(2 * shape.rank());
  after.back() = n - m;
  before[before.size() - 2] = m;
  *x_grad = op::add(ops, op::pad(ops, of_first, after, Scalar(0.0)),
                    op::pad(ops, of_rest, before, Scalar(0.0)));
}

// The gradient of vectors, the columns of `vectors`, before each was turned so
// that its entry of largest magnitude is positive. `turning` has a row of the
// derivatives by the phases of vectors (and of what turns with them), which the
// turn takes away; real vectors have none.
inline Value BeforeTurning(Ops& ops, const Value& vectors, const Value& grad,
                           const Value& turning) {
  const int64_t rows[] = {-2};
  const Value length = op::abs(ops, vectors);
  const Value largest =
      op::equal(ops, length, op::max(ops, length, rows, true));
  const Value entries =
      op::where(ops, largest, vectors, FullLike(ops, vectors, 0));
  const Value squares = op::sum(ops, op::square(ops, op::abs(ops, entries)),
                                rows, DataType::kUndefined, true);
  const Value part = op::divide(ops, turning, squares);
  const Value factor = op::complex(ops, FullLike(ops, part, 0), part);
  return op::add(ops, grad, op::multiply(ops, entries, factor));
}

// The imaginary parts of the sums of conj(grad) * v along an axis, which stays.
inline Value TurningOf(Ops& ops, const Value& v, const Value& grad,
                       int64_t axis) {
  const int64_t axes[] = {axis};
  const Value products = op::multiply(ops, Conjugated(ops, grad), v);
  return op::imag(ops,
                  op::sum(ops, products, axes, DataType::kUndefined, true));
}

// The matrices that have 1 / (2 s^2) on their diagonals, of the rows s^2; 0
// where that is infinite.
inline Value HalfInverses(Ops& ops, const Value& squares, const Value& like) {
  const Value zero = FullLike(ops, squares, 0);
  const Value none = op::equal(ops, squares, zero);
  const Value divisors =
      op::where(ops, none, FullLike(ops, squares, 1), squares);
  const Value halves = op::where(
      ops, none, zero, op::divide(ops, FullLike(ops, squares, 0.5), divisors));
  const Value ones = FullLike(ops, like, 1);
  const Value identity =
      op::subtract(ops, op::tril(ops, ones, 0), op::tril(ops, ones, -1));
  return op::multiply(ops, identity, AsRow(ops, halves));
}

// The gradient of svd, of the first k = min(m, n) singular vectors: with
// skew(A) = A - A^H and F_ij = 1 / (s_j^2 - s_i^2), 0 where that is infinite,
//   u (F * skew(u^H u') diag(s) + diag(s) F * skew(v^H v') + diag(s')) v^H
//   + (1 - u u^H) u' diag(1/s) v^H + u diag(1/s) (v')^H (1 - v v^H),
// in which a dash marks a gradient (J. Townsend, "Differentiating the Singular
// Value Decomposition", 2016). Of complex numbers, whose skew(u^H u') has a
// diagonal, F has 1 / (2 s^2) there before u, and u' is that before the vectors
// were turned. Differentiable again.
inline void SvdGrad(Ops& ops, const Value& u, const Value& s, const Value& vh,
                    const Value& u_grad, const Value& s_grad,
                    const Value& vh_grad, bool full_matrices, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Dim rows = ops.shape(u)[ops.shape(u).rank() - 2];
  const Dim columns = ops.shape(vh)[ops.shape(vh).rank() - 1];
  const Dim k = ops.shape(s)[ops.shape(s).rank() - 1];
  if (full_matrices && !k.known()) return ops.Fail(UnknownShapeError("x"));
  const auto first = [&](const Value& v, int axis) {
    return full_matrices ? FirstOf(ops, v, axis, k.value()) : v;
  };
  const bool complex = IsComplex(ops.dtype(u));
  const Value left = first(u, -1), right = first(vh, -2);
  const Value right_grad = first(vh_grad, -2);
  Value left_grad = first(u_grad, -1);
  const Value squares = op::square(ops, s);
  const Value factors = InverseDifferences(ops, squares);
  Value left_factors = factors;
  if (complex) {
    const Value turning = op::subtract(
        ops, TurningOf(ops, left, left_grad, -2),
        TransposedMatrices(ops, TurningOf(ops, right, right_grad, -1)));
    left_grad = BeforeTurning(ops, left, left_grad, turning);
    left_factors = op::add(ops, factors, HalfInverses(ops, squares, factors));
  }
  const auto skew = [&](const Value& v) {
    return op::subtract(ops, v, AdjointMatrices(ops, v));
  };
  const Value row = InDtypeOf(ops, u, AsRow(ops, s));
  const Value column = InDtypeOf(ops, u, AsColumns(ops, s));
  const Value turn_left = skew(AdjointTimes(ops, left, left_grad));
  const Value turn_right = skew(TimesAdjoint(ops, right, right_grad));
  const Value by_left = op::multiply(
      ops, op::multiply(ops, InDtypeOf(ops, u, left_factors), turn_left), row);
  const Value by_right = op::multiply(
      ops, column, op::multiply(ops, InDtypeOf(ops, u, factors), turn_right));
  const Value inner = op::add(ops, by_left, by_right);
  const Value stretched =
      op::multiply(ops, left, InDtypeOf(ops, u, AsRow(ops, s_grad)));
  Value sum =
      op::add(ops, op::matmul(ops, left, inner, false, false), stretched);
  if (rows != k) {
    const Value within =
        op::matmul(ops, left, AdjointTimes(ops, left, left_grad), false, false);
    sum = op::add(ops, sum,
                  op::divide(ops, op::subtract(ops, left_grad, within), row));
  }
  *x_grad = op::matmul(ops, sum, right, false, false);
  if (columns != k) {
    const Value within = op::matmul(ops, TimesAdjoint(ops, right_grad, right),
                                    right, false, false);
    const Value beyond =
        op::divide(ops, op::subtract(ops, right_grad, within), column);
    *x_grad =
        op::add(ops, *x_grad, op::matmul(ops, left, beyond, false, false));
  }
}

// The gradient of svdvals: u diag(g) v^H. Differentiable again.
inline void SvdvalsGrad(Ops& ops, const Value& x, const Value& s_grad,
                        Value* x_grad) {
  if (x_grad == nullptr) return;
  const auto parts = op::svd(ops, x, /*full_matrices=*/false);
  const Value row = InDtypeOf(ops, x, AsRow(ops, s_grad));
  *x_grad =
      op::matmul(ops, op::multiply(ops, parts[0], row), parts[2], false, false);
}

// The gradient of eigh: v (diag(g_w) + F * v^H g_v) v^H, in which F has 1 over
// the difference of two eigenvalues, 0 where that is 0; of complex numbers g_v
// is that before the vectors were turned. Differentiable again.
inline void EighGrad(Ops& ops, const Value& out_w, const Value& out_v,
                     const Value& out_w_grad, const Value& out_v_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  Value vectors_grad = out_v_grad;
  if (IsComplex(ops.dtype(out_v))) {
    vectors_grad = BeforeTurning(ops, out_v, out_v_grad,
                                 TurningOf(ops, out_v, out_v_grad, -2));
  }
  const Value factors = InDtypeOf(ops, out_v, InverseDifferences(ops, out_w));
  const Value turning =
      op::multiply(ops, factors, AdjointTimes(ops, out_v, vectors_grad));
  const Value turned = op::matmul(ops, out_v, turning, false, false);
  const Value row = InDtypeOf(ops, out_v, AsRow(ops, out_w_grad));
  const Value stretched = op::multiply(ops, out_v, row);
  *x_grad = TimesAdjoint(ops, op::add(ops, turned, stretched), out_v);
}

// The gradient of eigvalsh: v diag(g) v^H. Differentiable again.
inline void EigvalshGrad(Ops& ops, const Value& x,
                         const Value& eigenvalues_grad, std::string_view uplo,
                         Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value vectors = op::eigh(ops, x, uplo)[1];
  const Value row = InDtypeOf(ops, x, AsRow(ops, eigenvalues_grad));
  *x_grad = TimesAdjoint(ops, op::multiply(ops, vectors, row), vectors);
}

// Parts of the gradient of lu, of matrices whose rows are in order, not an
// operator's composite itself.
namespace lu_gradient {

// L^-H y, for the packed factors of square matrices.
inline Value ByLower(Ops& ops, const Value& factors, const Value& y) {
  return op::triangular_solve(ops, Conjugated(ops, factors), y, false, true,
                              true);
}

// (y U^-H)^H.
inline Value ByUpperTurned(Ops& ops, const Value& factors, const Value& y) {
  return op::triangular_solve(ops, factors, AdjointMatrices(ops, y), true,
                              false, false);
}

// The lower triangle of L^H g without its diagonal and the upper one of g U^H.
inline Value Inner(Ops& ops, const Value& factors, const Value& grad) {
  const Value below = op::tril(ops, grad, -1);
  const Value lower =
      op::add(ops, AdjointTimes(ops, op::tril(ops, factors, -1), below), below);
  const Value upper =
      TimesAdjoint(ops, op::triu(ops, grad, 0), op::triu(ops, factors, 0));
  return op::add(ops, op::tril(ops, lower, -1), op::triu(ops, upper, 0));
}

// The gradient of m rows by n columns, m < n. What is beyond U's square is L^-1
// times that of x; L has lost what that needs of it.
inline Value OfWide(Ops& ops, const Value& out, const Value& out_grad,
                    int64_t m) {
  const Value square = FirstOf(ops, out, -1, m);
  const Value rest_grad = LastOf(ops, out_grad, -1, m);
  const Value taken = TimesAdjoint(ops, rest_grad, LastOf(ops, out, -1, m));
  const Value whole = Inner(ops, square, FirstOf(ops, out_grad, -1, m));
  const Value inner =
      ByLower(ops, square, op::subtract(ops, whole, op::tril(ops, taken, -1)));
  const Value first = AdjointMatrices(ops, ByUpperTurned(ops, square, inner));
  const std::vector<Value> parts = {first, ByLower(ops, square, rest_grad)};
  return Joined(ops, parts, -1);
}

// The gradient of m rows by n columns, m > n: what is below L's square is that
// of x times U^-1.
inline Value OfTall(Ops& ops, const Value& out, const Value& out_grad,
                    int64_t n) {
  const Value square = FirstOf(ops, out, -2, n);
  const Value rest_grad = LastOf(ops, out_grad, -2, n);
  const Value taken = AdjointTimes(ops, LastOf(ops, out, -2, n), rest_grad);
  const Value whole = Inner(ops, square, FirstOf(ops, out_grad, -2, n));
  const Value inner =
      ByLower(ops, square, op::subtract(ops, whole, op::triu(ops, taken, 0)));
  const std::vector<Value> parts = {inner, rest_grad};
  const Value both = Joined(ops, parts, -2);
  return AdjointMatrices(ops, ByUpperTurned(ops, square, both));
}

}  // namespace lu_gradient

// The gradient of lu, x = P L U: of square matrices P L^-H F U^-H, in which F
// has the lower triangle of L^H g without its diagonal and the upper one of
// g U^H, and P is x (L U)^-1, rounded. Others take P from the pivots, which
// programs of before lack: Unimplemented. Differentiable again.
inline void LuGrad(Ops& ops, const Value& x, const Value& out,
                   const Value& pivots, const Value& out_grad, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Shape shape = ops.shape(x);
  const Dim rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  if (rows != columns) {
    if (!ops.defined(pivots)) {
      return ops.Fail(absl::UnimplementedError(
          "x must be square for a gradient without pivots, got " +
          ToString(shape)));
    }
    if (!rows.known() || !columns.known()) {
      return ops.Fail(UnknownShapeError("x"));
    }
    const int64_t m = rows.value(), n = columns.value();
    const Value ordered = m < n ? lu_gradient::OfWide(ops, out, out_grad, m)
                                : lu_gradient::OfTall(ops, out, out_grad, n);
    *x_grad = op::matmul(ops, PermutationMatrices(ops, pivots, m, ops.dtype(x)),
                         ordered, false, false);
    return;
  }
  Value permutation = op::triangular_solve(
      ops, out,
      op::triangular_solve(ops, out, TransposedMatrices(ops, x), true, true,
                           false),
      false, true, true);
  if (IsComplex(ops.dtype(x))) {
    permutation = op::cast(ops, op::round(ops, op::real(ops, permutation), 0),
                           ops.dtype(x));
  } else {
    permutation = op::round(ops, permutation, 0);
  }
  const Value inner =
      lu_gradient::ByLower(ops, out, lu_gradient::Inner(ops, out, out_grad));
  const Value turned = lu_gradient::ByUpperTurned(ops, out, inner);
  *x_grad = op::matmul(ops, permutation, Conjugated(ops, turned), true, true);
}

// How many singular values, or magnitudes of eigenvalues, are above a bound and
// above a share of the largest.
inline void MatrixRankAtolRtol(Ops& ops, const Value& x, const Value& atol,
                               const Value& rtol, bool hermitian, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  if (rank < 2) {
    return ops.Fail(ArgumentError("x", "of rank 2 or more", ToString(shape)));
  }
  const Value values =
      hermitian ? op::abs(ops, op::eigvalsh(ops, x, "L")) : op::svdvals(ops, x);
  const std::vector<int64_t> last = {-1};
  const Value largest = op::max(ops, values, last, true);
  const DataType dtype = ops.dtype(values);
  const Value bound = op::unsqueeze(ops, op::cast(ops, atol, dtype), last);
  Value share;
  if (ops.defined(rtol)) {
    share = op::unsqueeze(ops, op::cast(ops, rtol, dtype), last);
  } else {
    const Dim m = shape[rank - 2], n = shape[rank - 1];
    if (!m.known() || !n.known()) return ops.Fail(UnknownShapeError("x"));
    const double epsilon = dtype == DataType::kFloat64
                               ? std::numeric_limits<double>::epsilon()
                               : std::numeric_limits<float>::epsilon();
    const Value none =
        op::full_like(ops, bound, Scalar(0.0), DataType::kUndefined);
    const auto size = static_cast<double>(std::max(m.value(), n.value()));
    share = op::where(ops, op::greater_than(ops, bound, none), none,
                      op::full_like(ops, bound, Scalar(size * epsilon),
                                    DataType::kUndefined));
  }
  const Value least =
      op::maximum(ops, bound, op::multiply(ops, share, largest));
  *out = op::sum(
      ops,
      op::cast(ops, op::greater_than(ops, values, least), DataType::kInt64),
      last, DataType::kUndefined, false);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_DECOMPOSITION_H_
