// SPDX-License-Identifier: Apache-2.0
// Reference kernels on stacks of square matrices, as a textbook has them, in
// double: Gauss-Jordan elimination with row exchanges, substitution, Cholesky
// column by column, repeated products.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LINEAR_SOLVE_LINEAR_SOLVE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LINEAR_SOLVE_LINEAR_SOLVE_H_

#include <cmath>
#include <complex>
#include <cstdlib>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/linear_solve/matrix.h"

namespace switchyard::phi::kernels::reference {

// Turns a into the identity by row operations, and y into a^-1 y. Returns the
// determinant of a; if that is 0, y is not to be used.
template <typename N>
N Eliminate(MatrixOf<N> a, MatrixOf<N>* y) {
  N determinant = 1;
  for (int64_t p = 0; p < a.rows(); ++p) {
    int64_t best = p;
    for (int64_t i = p + 1; i < a.rows(); ++i) {
      if (std::abs(a(i, p)) > std::abs(a(best, p))) best = i;
    }
    if (best != p) {
      a.SwapRows(p, best);
      y->SwapRows(p, best);
      determinant = -determinant;
    }
    const N pivot = a(p, p);
    determinant *= pivot;
    if (pivot == N(0)) return 0;
    for (int64_t i = 0; i < a.rows(); ++i) {
      if (i == p) continue;
      const N factor = a(i, p) / pivot;
      a.AddRow(i, -factor, p);
      y->AddRow(i, -factor, p);
    }
  }
  for (int64_t i = 0; i < a.rows(); ++i) y->ScaleRow(i, N(1) / a(i, i));
  return determinant;
}

inline absl::Status SingularError() {
  return ArgumentError("x", "invertible", "a matrix that is not");
}

// The inverse; a singular matrix is an error.
template <typename N>
absl::Status Invert(const MatrixOf<N>& x, MatrixOf<N>* inverse) {
  *inverse = MatrixOf<N>::Identity(x.rows());
  return Eliminate(x, inverse) == N(0) ? SingularError() : absl::OkStatus();
}

template <typename S>
inline constexpr auto kInverseSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status InverseKernel(const ReferenceContext&, const DenseTensor& x,
                           DenseTensor* out) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    MatrixFor<T> inverse;
    SY_RETURN_IF_ERROR(Invert(MakeMatrix<T>(x, i), &inverse));
    SetMatrix<T>(inverse, i, out);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDeterminantSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DeterminantKernel(const ReferenceContext&, const DenseTensor& x,
                               DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const MatrixFor<T> a = MakeMatrix<T>(x, i);
    MatrixFor<T> none(a.rows(), 0);
    out->mutable_data<T>()[i] = static_cast<T>(Eliminate(a, &none));
  }
  return absl::OkStatus();
}

// The determinants of what is left of a matrix without a row and a column each,
// of complex numbers conjugated.
template <typename S>
inline constexpr auto kDeterminantGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DeterminantGradKernel(const ReferenceContext&,
                                   const DenseTensor& x, const DenseTensor&,
                                   const DenseTensor& out_grad,
                                   DenseTensor* x_grad) {
  for (int64_t number = 0; number < out_grad.numel(); ++number) {
    using N = typename MatrixFor<T>::Number;
    const MatrixOf<N> a = MakeMatrix<T>(x, number);
    const auto g = static_cast<N>(At<T>(out_grad, number));
    const int64_t n = a.rows();
    MatrixOf<N> gradient(n, n);
    for (int64_t e = 0; e < n * n; ++e) {
      const int64_t i = e / n, j = e % n;
      MatrixOf<N> minor(n - 1, n - 1), none(n - 1, 0);
      for (int64_t r = 0; r < n - 1; ++r) {
        for (int64_t c = 0; c < n - 1; ++c) {
          minor(r, c) = a(r + (r < i ? 0 : 1), c + (c < j ? 0 : 1));
        }
      }
      const double sign = (i + j) % 2 == 0 ? 1 : -1;
      gradient(i, j) = sign * g * Conjugate(Eliminate(minor, &none));
    }
    SetMatrix<T>(gradient, number, x_grad);
  }
  return absl::OkStatus();
}

// solve(matrix of x, &matrix of y) for each matrix of out.
template <typename T, typename F>
absl::Status SolveEach(const DenseTensor& x, const DenseTensor& y,
                       DenseTensor* out, const F& solve) {
  const bool vectors = out->rank() < x.rank();
  const int own_axes = vectors ? 1 : 2;
  Shape batch = out->shape();
  batch.resize(out->rank() - own_axes);
  for (int64_t i = 0; i < batch.numel(); ++i) {
    const Index at = Unravel(batch, i);
    MatrixFor<T> b = BroadcastMatrix<T>(y, own_axes, batch, at);
    SY_RETURN_IF_ERROR(solve(BroadcastMatrix<T>(x, 2, batch, at), &b));
    SetMatrix<T>(b, i, out);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSolveSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SolveKernel(const ReferenceContext&, const DenseTensor& x,
                         const DenseTensor& y, DenseTensor* out) {
  using M = MatrixFor<T>;
  return SolveEach<T>(x, y, out, [](const M& a, M* b) {
    return Eliminate(a, b) == typename M::Number(0) ? SingularError()
                                                    : absl::OkStatus();
  });
}

// The triangle of x alone, its diagonal ones where `unit`.
template <typename N>
MatrixOf<N> MakeTriangle(const MatrixOf<N>& x, bool upper, bool unit) {
  MatrixOf<N> t(x.rows(), x.columns());
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t j = 0; j < x.columns(); ++j) {
      if (upper ? i <= j : i >= j) t(i, j) = unit && i == j ? N(1) : x(i, j);
    }
  }
  return t;
}

template <typename S>
inline constexpr auto kTriangularSolveSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status TriangularSolveKernel(const ReferenceContext&,
                                   const DenseTensor& x, const DenseTensor& y,
                                   bool upper, bool transpose,
                                   bool unitriangular, DenseTensor* out) {
  using M = MatrixFor<T>;
  using N = typename M::Number;
  return SolveEach<T>(x, y, out, [=](const M& a, M* b) {
    M t = MakeTriangle(a, upper, unitriangular);
    if (transpose) t = t.Transposed();
    const int64_t n = t.rows();
    // From the row with one unknown to that with all.
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = upper != transpose ? n - 1 - step : step;
      if (t(i, i) == N(0)) return SingularError();
      for (int64_t j = 0; j < n; ++j) {
        if (j != i && t(i, j) != N(0)) b->AddRow(i, -t(i, j), j);
      }
      b->ScaleRow(i, N(1) / t(i, i));
    }
    return absl::OkStatus();
  });
}

template <typename S>
inline constexpr auto kCholeskySpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CholeskyKernel(const ReferenceContext&, const DenseTensor& x,
                            bool upper, DenseTensor* out) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    using N = typename MatrixFor<T>::Number;
    MatrixOf<N> a = MakeMatrix<T>(x, i);
    if (upper) a = a.Adjoint();
    MatrixOf<N> factor(a.rows(), a.rows());
    for (int64_t c = 0; c < a.rows(); ++c) {
      for (int64_t r = c; r < a.rows(); ++r) {
        N rest = r == c ? N(std::real(a(r, c))) : a(r, c);
        for (int64_t p = 0; p < c; ++p) {
          rest -= factor(r, p) * Conjugate(factor(c, p));
        }
        if (r == c && !(std::real(rest) > 0)) {
          return ArgumentError("x", "positive definite",
                               "a matrix that is not");
        }
        factor(r, c) =
            r == c ? N(std::sqrt(std::real(rest))) : rest / factor(c, c);
      }
    }
    SetMatrix<T>(upper ? factor.Adjoint() : factor, i, out);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMatrixPowerSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MatrixPowerKernel(const ReferenceContext&, const DenseTensor& x,
                               int n, DenseTensor* out) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    MatrixFor<T> factor = MakeMatrix<T>(x, i);
    if (n < 0) {
      const MatrixFor<T> a = factor;
      SY_RETURN_IF_ERROR(Invert(a, &factor));
    }
    MatrixFor<T> power = MatrixFor<T>::Identity(factor.rows());
    for (int64_t step = 0; step < std::llabs(n); ++step) {
      power = power.Times(factor);
    }
    SetMatrix<T>(power, i, out);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LINEAR_SOLVE_LINEAR_SOLVE_H_
