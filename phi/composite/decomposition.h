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
// of q and h of r, M = r h^T - g^T q and the symmetric matrix S with the lower
// triangle of M: (g + q S) r^-T. With fewer rows, x = [X, Y] and r = [U, W]:
// that of X = q U, whose g has Y (h of W)^T besides, and q (h of W) (M. Seeger
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
    const V product = ops.subtract(TimesTransposed(ops, upper, upper_grad),
                                   TransposedTimes(ops, g, q));
    const V below = TransposedMatrices(ops, ops.tril(product, -1));
    const V symmetric = ops.add(ops.tril(product, 0), below);
    const V sum = ops.add(g, ops.matmul(q, symmetric, false, false));
    return TransposedMatrices(
        ops, ops.triangular_solve(upper, TransposedMatrices(ops, sum), true,
                                  false, false));
  };
  if (m >= n) {
    *x_grad = of_square(r, r_grad, q_grad);
    return;
  }
  const V rest_grad = LastOf(ops, r_grad, -1, m);
  const V g =
      ops.add(q_grad, TimesTransposed(ops, LastOf(ops, x, -1, m), rest_grad));
  const V of_first =
      of_square(FirstOf(ops, r, -1, m), FirstOf(ops, r_grad, -1, m), g);
  const V of_rest = ops.matmul(q, rest_grad, false, false);
  std::vector<int64_t> after(2 * shape.rank()), before(2 * shape.rank());
  after.back() = n - m;
  before[before.size() - 2] = m;
  *x_grad = ops.add(ops.pad(of_first, after, Scalar(0.0)),
                    ops.pad(of_rest, before, Scalar(0.0)));
}

// The gradient of svd, of the first k = min(m, n) singular vectors: with
// skew(A) = A - A^T and F_ij = 1 / (s_j^2 - s_i^2), 0 where that is infinite,
//   u (F * skew(u^T u') diag(s) + diag(s) F * skew(v^T v') + diag(s')) v^T
//   + (1 - u u^T) u' diag(1/s) v^T + u diag(1/s) (v')^T (1 - v v^T),
// in which a dash marks a gradient (J. Townsend, "Differentiating the Singular
// Value Decomposition", 2016). Differentiable again.
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
  const V left = first(u, -1), left_grad = first(u_grad, -1);
  const V right = first(vh, -2), right_grad = first(vh_grad, -2);
  const auto skew = [&](const V& v) {
    return ops.subtract(v, TransposedMatrices(ops, v));
  };
  const V row = AsRow(ops, s), column = AsColumns(ops, s);
  const V factors = InverseDifferences(ops, ops.square(s));
  const V turn_left = skew(TransposedTimes(ops, left, left_grad));
  const V turn_right = skew(TimesTransposed(ops, right, right_grad));
  const V by_left = ops.multiply(ops.multiply(factors, turn_left), row);
  const V by_right = ops.multiply(column, ops.multiply(factors, turn_right));
  const V inner = ops.add(by_left, by_right);
  V sum = ops.add(ops.matmul(left, inner, false, false),
                  ops.multiply(left, AsRow(ops, s_grad)));
  if (rows != k) {
    const V within =
        ops.matmul(left, TransposedTimes(ops, left, left_grad), false, false);
    sum = ops.add(sum, ops.divide(ops.subtract(left_grad, within), row));
  }
  *x_grad = ops.matmul(sum, right, false, false);
  if (columns != k) {
    const V within = ops.matmul(TimesTransposed(ops, right_grad, right), right,
                                false, false);
    const V beyond = ops.divide(ops.subtract(right_grad, within), column);
    *x_grad = ops.add(*x_grad, ops.matmul(left, beyond, false, false));
  }
}

// The gradient of svdvals: u diag(g) v^T. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SvdvalsGrad(Ops& ops, const V& x, const V& s_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const auto parts = ops.svd(x, /*full_matrices=*/false);
  *x_grad = ops.matmul(ops.multiply(parts[0], AsRow(ops, s_grad)), parts[2],
                       false, false);
}

// The gradient of eigh: v (diag(g_w) + F * v^T g_v) v^T, in which F has 1 over
// the difference of two eigenvalues, 0 where that is 0. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void EighGrad(Ops& ops, const V& out_w, const V& out_v, const V& out_w_grad,
              const V& out_v_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V turning = ops.multiply(InverseDifferences(ops, out_w),
                                 TransposedTimes(ops, out_v, out_v_grad));
  const V turned = ops.matmul(out_v, turning, false, false);
  const V stretched = ops.multiply(out_v, AsRow(ops, out_w_grad));
  *x_grad = TimesTransposed(ops, ops.add(turned, stretched), out_v);
}

// The gradient of eigvalsh: v diag(g) v^T. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void EigvalshGrad(Ops& ops, const V& x, const V& eigenvalues_grad,
                  std::string_view uplo, V* x_grad) {
  if (x_grad == nullptr) return;
  const V vectors = ops.eigh(x, uplo)[1];
  const V scaled = ops.multiply(vectors, AsRow(ops, eigenvalues_grad));
  *x_grad = TimesTransposed(ops, scaled, vectors);
}

// The gradient of lu of square matrices x = P L U: P L^-T F U^-T, in which F
// has the lower triangle of L^T g without its diagonal and the upper one of
// g U^T. P is x (L U)^-1, rounded. Unimplemented for other matrices.
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
  const auto lower_turned = [&](const V& y) {  // L^-T y
    return ops.triangular_solve(out, y, false, true, true);
  };
  const V left =
      ops.triangular_solve(out, TransposedMatrices(ops, x), true, true, false);
  const V permutation = ops.round(lower_turned(left), 0);
  const V below_grad = ops.tril(out_grad, -1);
  const V of_lower = ops.tril(
      ops.add(TransposedTimes(ops, ops.tril(out, -1), below_grad), below_grad),
      -1);
  const V of_upper = ops.triu(
      TimesTransposed(ops, ops.triu(out_grad, 0), ops.triu(out, 0)), 0);
  const V inner = lower_turned(ops.add(of_lower, of_upper));
  const V turned = ops.triangular_solve(out, TransposedMatrices(ops, inner),
                                        true, false, false);
  *x_grad = ops.matmul(permutation, turned, true, true);
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
