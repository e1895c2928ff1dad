// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/linear_solve/square_matrix.h"

#include <complex>
#include <cstdint>
#include <utility>

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "Eigen/LU"

namespace switchyard::phi::kernels::cpu {
namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <typename T>
using RowMajor =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
Matrix<T> Load(int64_t rows, int64_t columns, const T* x) {
  return Eigen::Map<const RowMajor<T>>(x, rows, columns);
}

template <typename T>
void Store(const Matrix<T>& matrix, T* out) {
  Eigen::Map<RowMajor<T>>(out, matrix.rows(), matrix.cols()) = matrix;
}

// Whether a triangle has no 0 on its diagonal; NaN is none.
template <typename M>
bool IsRegular(const M& triangle) {
  using T = typename M::Scalar;
  return (triangle.diagonal().array() != T(0)).all();
}

template <typename T, int kMode>
void SolveInPlace(const Matrix<T>& x, bool transpose, Matrix<T>* y) {
  if (transpose) {
    x.template triangularView<kMode>().transpose().solveInPlace(*y);
  } else {
    x.template triangularView<kMode>().solveInPlace(*y);
  }
}

}  // namespace

template <typename T>
bool Invert(int64_t n, const T* x, T* out) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix<T>> lu(Load(n, n, x));
  if (!IsRegular(lu.matrixLU())) return false;
  Store<T>(lu.inverse(), out);
  return true;
}

template <typename T>
T Determinant(int64_t n, const T* x) {
  if (n == 0) return 1;
  return Eigen::PartialPivLU<Matrix<T>>(Load(n, n, x)).determinant();
}

template <typename T>
void DeterminantGradient(int64_t n, T factor, const T* x, T* out) {
  if (n == 0) return;
  const Matrix<T> a = Load(n, n, x);
  const Eigen::PartialPivLU<Matrix<T>> lu(a);
  if (IsRegular(lu.matrixLU())) {
    Store<T>(lu.inverse().adjoint() *
                 (factor * Eigen::numext::conj(lu.determinant())),
             out);
    return;
  }
  // For a singular matrix, these are the determinants without a row and a
  // column each.
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Matrix<T> minor(n - 1, n - 1);
      for (int64_t r = 0; r < n - 1; ++r) {
        for (int64_t c = 0; c < n - 1; ++c) {
          minor(r, c) = a(r < i ? r : r + 1, c < j ? c : c + 1);
        }
      }
      const T cofactor =
          n == 1 ? T(1)
                 : Eigen::numext::conj(minor.partialPivLu().determinant());
      out[i * n + j] =
          (i + j) % 2 == 0 ? factor * cofactor : -factor * cofactor;
    }
  }
}

template <typename T>
bool Solve(int64_t n, int64_t k, const T* x, const T* y, T* out) {
  if (n == 0) return true;
  const Eigen::PartialPivLU<Matrix<T>> lu(Load(n, n, x));
  if (!IsRegular(lu.matrixLU())) return false;
  if (k > 0) Store<T>(lu.solve(Load(n, k, y)), out);
  return true;
}

template <typename T>
bool SolveTriangle(int64_t n, int64_t k, Triangle triangle, const T* x,
                   const T* y, T* out) {
  const Matrix<T> a = Load(n, n, x);
  if (!triangle.unit && !IsRegular(a)) return false;
  if (n == 0 || k == 0) return true;
  Matrix<T> b = Load(n, k, y);
  if (triangle.upper) {
    if (triangle.unit) {
      SolveInPlace<T, Eigen::UnitUpper>(a, triangle.transpose, &b);
    } else {
      SolveInPlace<T, Eigen::Upper>(a, triangle.transpose, &b);
    }
  } else if (triangle.unit) {
    SolveInPlace<T, Eigen::UnitLower>(a, triangle.transpose, &b);
  } else {
    SolveInPlace<T, Eigen::Lower>(a, triangle.transpose, &b);
  }
  Store(b, out);
  return true;
}

template <typename T>
bool FactorCholesky(int64_t n, bool upper, const T* x, T* out) {
  if (n == 0) return true;
  // The upper triangle is the lower one of the adjoint matrix.
  Matrix<T> a = Load(n, n, x);
  if (upper) a.adjointInPlace();
  const Eigen::LLT<Matrix<T>> llt(a);
  if (llt.info() != Eigen::Success) return false;
  const Matrix<T> factor = llt.matrixL();
  // Eigen takes a NaN for positive.
  if (!(factor.diagonal().real().array() > 0).all()) return false;
  if (upper) {
    Store<T>(factor.adjoint(), out);
  } else {
    Store(factor, out);
  }
  return true;
}

template <typename T>
bool RaiseToPower(int64_t n, int exponent, const T* x, T* out) {
  if (n == 0) return true;
  Matrix<T> square = Load(n, n, x);
  if (exponent < 0) {
    const Eigen::PartialPivLU<Matrix<T>> lu(square);
    if (!IsRegular(lu.matrixLU())) return false;
    square = lu.inverse();
  }
  // The least integer has no positive counterpart of its type.
  uint32_t rest = exponent < 0 ? 0u - static_cast<uint32_t>(exponent)
                               : static_cast<uint32_t>(exponent);
  Matrix<T> power = Matrix<T>::Identity(n, n);
  for (; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power = power * square;
    if (rest > 1) square = square * square;
  }
  Store(power, out);
  return true;
}

#define SY_SQUARE_MATRIX_OF(T)                                                \
  template bool Invert(int64_t, const T*, T*);                                \
  template T Determinant(int64_t, const T*);                                  \
  template void DeterminantGradient(int64_t, T, const T*, T*);                \
  template bool Solve(int64_t, int64_t, const T*, const T*, T*);              \
  template bool SolveTriangle(int64_t, int64_t, Triangle, const T*, const T*, \
                              T*);                                            \
  template bool FactorCholesky(int64_t, bool, const T*, T*);                  \
  template bool RaiseToPower(int64_t, int, const T*, T*)
SY_SQUARE_MATRIX_OF(float);
SY_SQUARE_MATRIX_OF(double);
SY_SQUARE_MATRIX_OF(std::complex<float>);
SY_SQUARE_MATRIX_OF(std::complex<double>);

}  // namespace switchyard::phi::kernels::cpu
