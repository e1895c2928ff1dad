// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/decomposition/any_matrix.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "Eigen/LU"
#include "Eigen/QR"
#include "Eigen/SVD"

namespace switchyard::phi::kernels::cpu {
namespace {

// The numbers that matrices of T are decomposed in.
template <typename T>
using WideOf = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;
template <typename T>
using MatrixOf = Eigen::Matrix<WideOf<T>, Eigen::Dynamic, Eigen::Dynamic>;
template <typename T>
using RowMajor =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
MatrixOf<T> Load(int64_t rows, int64_t columns, const T* x) {
  return Eigen::Map<const RowMajor<T>>(x, rows, columns)
      .template cast<WideOf<T>>();
}

template <typename T>
void Store(const MatrixOf<T>& matrix, T* out) {
  Eigen::Map<RowMajor<T>>(out, matrix.rows(), matrix.cols()) =
      matrix.template cast<T>();
}

// 1, or -1 if the first entry of largest magnitude is negative; of complex
// numbers what makes that entry positive.
template <typename Vector>
typename Vector::Scalar SignOf(const Vector& vector) {
  if (vector.size() == 0) return 1;
  Eigen::Index at;
  vector.cwiseAbs().maxCoeff(&at);
  if constexpr (kIsComplex<typename Vector::Scalar>) {
    const double length = std::abs(vector(at));
    return length == 0 ? 1 : std::conj(vector(at)) / length;
  } else {
    return vector(at) < 0 ? -1 : 1;
  }
}

}  // namespace

template <typename T>
void FactorQr(int64_t m, int64_t n, int64_t k, const T* x, T* q, T* r) {
  using Matrix = MatrixOf<T>;
  if (m == 0 || n == 0) {
    if (q != nullptr) Store<T>(Matrix::Identity(m, k), q);
    return;
  }
  const Eigen::HouseholderQR<Matrix> qr(Load(m, n, x));
  if (q != nullptr) {
    Matrix first = Matrix::Identity(m, k);
    first.applyOnTheLeft(qr.householderQ());
    Store<T>(first, q);
  }
  Matrix upper = Matrix::Zero(k, n);
  upper.template triangularView<Eigen::Upper>() = qr.matrixQR().topRows(k);
  Store<T>(upper, r);
}

template <typename T>
void FactorReflections(int64_t m, int64_t n, const T* x, T* a, T* tau) {
  using Matrix = MatrixOf<T>;
  if (m == 0 || n == 0) return;
  const Eigen::HouseholderQR<Matrix> qr(Load(m, n, x));
  Store<T>(qr.matrixQR(), a);
  // Eigen has the factors of the reflections that turn x into r.
  Store<T>(qr.hCoeffs().conjugate(), tau);
}

template <typename T>
bool FactorSvd(int64_t m, int64_t n, bool full, const T* x, T* u,
               RealType<T>* s, T* vh) {
  using Matrix = MatrixOf<T>;
  const int64_t k = std::min(m, n);
  if (k == 0) {
    if (full && u != nullptr) {
      Store<T>(Matrix::Identity(m, m), u);
      Store<T>(Matrix::Identity(n, n), vh);
    }
    return true;
  }
  const Matrix a = Load(m, n, x);
  if (!a.allFinite()) return false;
  const int vectors = full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                           : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Matrix> svd(a, u != nullptr ? vectors : 0);
  std::copy_n(svd.singularValues().data(), k, s);
  if (u == nullptr) return true;
  Matrix left = svd.matrixU(), right = svd.matrixV();
  for (int64_t i = 0; i < left.cols(); ++i) {
    const WideOf<T> sign = SignOf(left.col(i));
    left.col(i) *= sign;
    if (i < k) right.col(i) *= sign;
  }
  for (int64_t i = k; i < right.cols(); ++i) {
    right.col(i) *= SignOf(right.col(i));
  }
  Store<T>(left, u);
  Store<T>(right.adjoint(), vh);
  return true;
}

template <typename T>
bool FactorSymmetric(int64_t n, bool upper, const T* x, RealType<T>* w, T* v) {
  using Matrix = MatrixOf<T>;
  if (n == 0) return true;
  // The solver reads the lower triangle.
  Matrix a = Load(n, n, x);
  if (upper) a.adjointInPlace();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      a, v != nullptr ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return false;
  std::copy_n(solver.eigenvalues().data(), n, w);
  if (v == nullptr) return true;
  Matrix vectors = solver.eigenvectors();
  for (int64_t i = 0; i < n; ++i) vectors.col(i) *= SignOf(vectors.col(i));
  Store<T>(vectors, v);
  return true;
}

template <typename T>
int32_t FactorLu(int64_t m, int64_t n, const T* x, T* out, int32_t* pivots) {
  using Matrix = MatrixOf<T>;
  const int64_t k = std::min(m, n), larger = std::max(m, n);
  if (k == 0) return 0;
  // Rows or columns of zeros make the matrix square and change no step.
  Matrix square = Matrix::Zero(larger, larger);
  square.topLeftCorner(m, n) = Load(m, n, x);
  const Eigen::PartialPivLU<Matrix> lu(square);
  const Matrix factors = lu.matrixLU().topLeftCorner(m, n);
  Store<T>(factors, out);
  // The permutation that the exchanges make, taken apart again.
  const auto& target = lu.permutationP().indices();
  Eigen::VectorXi row_at(larger), place_of(larger);
  for (int64_t i = 0; i < larger; ++i) row_at[i] = place_of[i] = i;
  Eigen::VectorXi source(larger);
  for (int64_t i = 0; i < larger; ++i) source[target[i]] = i;
  for (int64_t i = 0; i < k; ++i) {
    const int place = place_of[source[i]];
    pivots[i] = place + 1;
    std::swap(row_at[i], row_at[place]);
    place_of[row_at[place]] = place;
    place_of[row_at[i]] = i;
  }
  for (int64_t i = 0; i < k; ++i) {
    if (factors(i, i) == WideOf<T>(0)) return static_cast<int32_t>(i + 1);
  }
  return 0;
}

#define SY_ANY_MATRIX_OF(T)                                                   \
  template void FactorQr(int64_t, int64_t, int64_t, const T*, T*, T*);        \
  template void FactorReflections(int64_t, int64_t, const T*, T*, T*);        \
  template bool FactorSvd(int64_t, int64_t, bool, const T*, T*, RealType<T>*, \
                          T*);                                                \
  template bool FactorSymmetric(int64_t, bool, const T*, RealType<T>*, T*);   \
  template int32_t FactorLu(int64_t, int64_t, const T*, T*, int32_t*)
SY_ANY_MATRIX_OF(float);
SY_ANY_MATRIX_OF(double);
SY_ANY_MATRIX_OF(std::complex<float>);
SY_ANY_MATRIX_OF(std::complex<double>);

}  // namespace switchyard::phi::kernels::cpu
