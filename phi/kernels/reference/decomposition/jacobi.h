// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues by Jacobi's rotations, in double, for the
// reference kernels of decomposition.h. Vectors that are determined up to
// their sign have a positive entry of largest magnitude. What complex matrices
// have is in complex_matrix.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_JACOBI_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_JACOBI_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <utility>
#include <vector>

#include "phi/kernels/reference/linear_solve/matrix.h"

namespace switchyard::phi::kernels::reference {

inline double ColumnProduct(const Matrix& a, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t r = 0; r < a.rows(); ++r) sum += a(r, i) * a(r, j);
  return sum;
}

// Columns i and j times a rotation by the angle of cosine c and sine s.
inline void RotateColumns(Matrix* a, int64_t i, int64_t j, double c, double s) {
  for (int64_t r = 0; r < a->rows(); ++r) {
    const double x = (*a)(r, i), y = (*a)(r, j);
    (*a)(r, i) = c * x - s * y;
    (*a)(r, j) = s * x + c * y;
  }
}

// Multiplies column j by a sign that makes its first entry of largest magnitude
// positive; returns the sign.
inline double FixSign(Matrix* a, int64_t j) {
  double best = 0;
  for (int64_t r = 0; r < a->rows(); ++r) {
    if (std::fabs((*a)(r, j)) > std::fabs(best)) best = (*a)(r, j);
  }
  const double sign = best < 0 ? -1 : 1;
  for (int64_t r = 0; r < a->rows(); ++r) (*a)(r, j) *= sign;
  return sign;
}

// Sets the columns of a from `begin` on to unit vectors orthogonal to those
// before them and to each other.
inline void CompleteColumns(Matrix* a, int64_t begin) {
  for (int64_t j = begin; j < a->columns(); ++j) {
    double norm = 0;
    for (int64_t unit = 0; norm < 1e-3; ++unit) {
      for (int64_t r = 0; r < a->rows(); ++r) (*a)(r, j) = r == unit ? 1 : 0;
      for (int64_t i = 0; i < 2 * j; ++i) {  // Twice, against rounding.
        const double part = ColumnProduct(*a, i % j, j);
        for (int64_t r = 0; r < a->rows(); ++r) {
          (*a)(r, j) -= part * (*a)(r, i % j);
        }
      }
      norm = std::sqrt(ColumnProduct(*a, j, j));
    }
    for (int64_t r = 0; r < a->rows(); ++r) (*a)(r, j) /= norm;
    FixSign(a, j);
  }
}

// a [m, n] with its columns rotated until they are orthogonal (M. Hestenes,
// 1958), and the rotations v [n, n].
inline void Orthogonalize(Matrix* a, Matrix* v) {
  *v = Matrix::Identity(a->columns());
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool done = true;
    for (int64_t i = 0; i < a->columns(); ++i) {
      for (int64_t j = i + 1; j < a->columns(); ++j) {
        const double ii = ColumnProduct(*a, i, i);
        const double jj = ColumnProduct(*a, j, j);
        const double ij = ColumnProduct(*a, i, j);
        if (std::fabs(ij) <= 1e-17 * std::sqrt(ii * jj)) continue;
        done = false;
        const double zeta = (jj - ii) / (2 * ij);
        const double t = std::copysign(1, zeta) /
                         (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t);
        RotateColumns(a, i, j, c, c * t);
        RotateColumns(v, i, j, c, c * t);
      }
    }
    if (done) return;
  }
}

// A singular value decomposition x = u diag(s) v^H, values falling.
template <typename N>
struct SingularValuesOf {
  MatrixOf<N> u;  // [m, m]
  std::vector<double> s;
  MatrixOf<N> v;  // [n, n]
};
using SingularValues = SingularValuesOf<double>;

inline SingularValues Svd(const Matrix& x) {
  if (x.rows() < x.columns()) {
    SingularValues turned = Svd(x.Transposed());
    std::swap(turned.u, turned.v);
    return turned;
  }
  Matrix a = x, rotations;
  Orthogonalize(&a, &rotations);
  const int64_t m = x.rows(), n = x.columns();
  std::vector<double> norms(n);
  for (int64_t j = 0; j < n; ++j) {
    norms[j] = std::sqrt(ColumnProduct(a, j, j));
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return norms[i] > norms[j]; });
  SingularValues result{Matrix(m, m), {}, Matrix(n, n)};
  int64_t regular = 0;
  for (int64_t j = 0; j < n; ++j) {
    const double norm = norms[order[j]];
    result.s.push_back(norm);
    for (int64_t r = 0; r < n; ++r) result.v(r, j) = rotations(r, order[j]);
    if (norm <= 1e-300) continue;
    for (int64_t r = 0; r < m; ++r) result.u(r, j) = a(r, order[j]) / norm;
    ++regular;
  }
  CompleteColumns(&result.u, regular);
  return result;
}

// Gives the vectors the signs that the header says: those of u, then those of v
// that u has none for.
inline void FixSigns(SingularValues* svd) {
  const auto k = static_cast<int64_t>(svd->s.size());
  for (int64_t j = 0; j < svd->u.columns(); ++j) {
    const double sign = FixSign(&svd->u, j);
    for (int64_t r = 0; j < k && r < svd->v.rows(); ++r) svd->v(r, j) *= sign;
  }
  for (int64_t j = k; j < svd->v.columns(); ++j) FixSign(&svd->v, j);
}

template <typename N>
bool IsFinite(const MatrixOf<N>& a) {
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < a.columns(); ++j) {
      if (!std::isfinite(std::abs(a(i, j)))) return false;
    }
  }
  return true;
}

template <typename N>
MatrixOf<N> FirstColumns(const MatrixOf<N>& a, int64_t count) {
  MatrixOf<N> first(a.rows(), count);
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < count; ++j) first(i, j) = a(i, j);
  }
  return first;
}

// The eigenvalues of the symmetric matrix a, rising, by rotations that make one
// element beside the diagonal 0 at a time (C. Jacobi, 1846); `vectors` gets
// the eigenvectors as columns.
inline std::vector<double> Eigenvalues(Matrix a, Matrix* vectors) {
  const int64_t n = a.rows();
  Matrix v = Matrix::Identity(n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) {
        if (a(i, j) == 0) continue;
        const double theta = (a(j, j) - a(i, i)) / (2 * a(i, j));
        const double t = std::copysign(1, theta) /
                         (std::fabs(theta) + std::sqrt(1 + theta * theta));
        const double c = 1 / std::sqrt(1 + t * t);
        RotateColumns(&a, i, j, c, c * t);
        a = a.Transposed();
        RotateColumns(&a, i, j, c, c * t);
        RotateColumns(&v, i, j, c, c * t);
        a(i, j) = a(j, i) = 0;
      }
    }
  }
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return a(i, i) < a(j, j); });
  std::vector<double> values;
  *vectors = Matrix(n, n);
  for (int64_t j = 0; j < n; ++j) {
    values.push_back(a(order[j], order[j]));
    for (int64_t r = 0; r < n; ++r) (*vectors)(r, j) = v(r, order[j]);
    FixSign(vectors, j);
  }
  return values;
}

// a with one triangle's elements on both sides of the diagonal; of complex
// ones, of the diagonal's the real parts, and conjugates on the other side.
template <typename N>
MatrixOf<N> Symmetric(const MatrixOf<N>& a, bool upper) {
  MatrixOf<N> symmetric = a;
  for (int64_t i = 0; i < a.rows(); ++i) {
    symmetric(i, i) = std::real(a(i, i));
    for (int64_t j = 0; j < i; ++j) {
      const N value = upper ? Conjugate(a(j, i)) : a(i, j);
      symmetric(i, j) = value;
      symmetric(j, i) = Conjugate(value);
    }
  }
  return symmetric;
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_JACOBI_H_
