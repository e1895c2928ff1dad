// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/decomposition/any_spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "Eigen/LU"

namespace switchyard::phi::kernels::cpu {
namespace {

using Number = std::complex<double>;
using Numbers = Eigen::MatrixXcd;
template <typename T>
using RowMajor =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename T>
Numbers Load(int64_t rows, int64_t columns, const T* x) {
  return Eigen::Map<const RowMajor<T>>(x, rows, columns)
      .template cast<Number>();
}

// Turns each column so that its entry of largest magnitude is positive.
void TurnColumns(Numbers* vectors) {
  for (Eigen::Index i = 0; i < vectors->cols(); ++i) {
    Eigen::Index at;
    const double largest = vectors->col(i).cwiseAbs().maxCoeff(&at);
    if (largest == 0) continue;
    vectors->col(i) *= std::conj((*vectors)(at, i)) / largest;
    (*vectors)(at, i) = (*vectors)(at, i).real();
  }
}

// Eigenvalues and, if they are wanted, eigenvectors.
struct Spectrum {
  bool found;
  Eigen::VectorXcd values;
  Numbers vectors;
};

// The eigenvectors of an upper triangular matrix, by substitution. Where two
// eigenvalues are equal the least gap stands for none.
Numbers TriangularVectors(const Numbers& triangle) {
  const Eigen::Index n = triangle.rows();
  using Limits = std::numeric_limits<double>;
  const double least =
      std::max(Limits::epsilon() * triangle.norm(), Limits::min());
  Numbers vectors = Numbers::Identity(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index i = k - 1; i >= 0; --i) {
      Number sum = 0;
      for (Eigen::Index j = i + 1; j <= k; ++j) {
        sum += triangle(i, j) * vectors(j, k);
      }
      Number gap = triangle(k, k) - triangle(i, i);
      if (gap == 0.0) gap = least;
      vectors(i, k) = sum / gap;
    }
  }
  return vectors;
}

// Those of real matrices come in conjugate pairs, which are exact; those of
// complex ones in the order of the triangular matrix, as LAPACK gives them,
// while Eigen's own solver sorts them.
template <typename T>
Spectrum Solve(int64_t n, const T* x, bool with_vectors) {
  if constexpr (std::is_floating_point_v<T>) {
    const Eigen::MatrixXd matrix =
        Eigen::Map<const RowMajor<T>>(x, n, n).template cast<double>();
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix, with_vectors);
    if (solver.info() != Eigen::Success) return {false, {}, {}};
    return {true, solver.eigenvalues(),
            with_vectors ? Numbers(solver.eigenvectors()) : Numbers()};
  } else {
    const Eigen::ComplexSchur<Numbers> schur(Load(n, n, x), with_vectors);
    if (schur.info() != Eigen::Success) return {false, {}, {}};
    Spectrum spectrum = {true, schur.matrixT().diagonal(), {}};
    if (with_vectors) {
      const Numbers triangle = schur.matrixT();
      spectrum.vectors = schur.matrixU() * TriangularVectors(triangle);
      spectrum.vectors.colwise().normalize();
    }
    return spectrum;
  }
}

}  // namespace

template <typename T>
bool FactorSpectrum(int64_t n, const T* x, ComplexOfNumber<T>* w,
                    ComplexOfNumber<T>* v) {
  using Result = ComplexOfNumber<T>;
  if (n == 0) return true;
  const bool finite = std::all_of(x, x + n * n, [](const T& number) {
    return std::isfinite(std::real(number)) && std::isfinite(std::imag(number));
  });
  if (!finite) return false;
  Spectrum spectrum = Solve(n, x, v != nullptr);
  if (!spectrum.found) return false;
  std::transform(
      spectrum.values.data(), spectrum.values.data() + n, w,
      [](const Number& value) { return static_cast<Result>(value); });
  if (v == nullptr) return true;
  TurnColumns(&spectrum.vectors);
  Eigen::Map<RowMajor<Result>>(v, n, n) =
      spectrum.vectors.template cast<Result>();
  return true;
}

// v^-H (diag(w_grad) + F) v^H, in which F, of zeros on the diagonal, has
// (v^H v_grad - v^H v diag(Re v^H v_grad)) over the conjugates of the
// differences of two eigenvalues, 0 where that is 0.
template <typename T>
void SpectrumGradient(int64_t n, const ComplexOfNumber<T>* w,
                      const ComplexOfNumber<T>* v,
                      const ComplexOfNumber<T>* w_grad,
                      const ComplexOfNumber<T>* v_grad, T* x_grad) {
  if (n == 0) return;
  const Numbers values = Load(n, 1, w), slopes = Load(n, 1, w_grad);
  const Numbers vectors = Load(n, n, v);
  const Numbers turned = vectors.adjoint() * Load(n, n, v_grad);
  const Numbers products = vectors.adjoint() * vectors;
  Numbers middle(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const Number apart = std::conj(values(j) - values(i));
      const Number rest = turned(i, j) - products(i, j) * turned(j, j).real();
      middle(i, j) = i == j ? slopes(i) : apart == 0.0 ? 0.0 : rest / apart;
    }
  }
  const Numbers adjoint = vectors.adjoint();
  const Numbers result =
      Eigen::PartialPivLU<Numbers>(adjoint).solve(middle * adjoint);
  if constexpr (std::is_floating_point_v<T>) {
    Eigen::Map<RowMajor<T>>(x_grad, n, n) = result.real().template cast<T>();
  } else {
    Eigen::Map<RowMajor<T>>(x_grad, n, n) = result.template cast<T>();
  }
}

#define SY_ANY_SPECTRUM_OF(T)                                          \
  template bool FactorSpectrum(int64_t, const T*, ComplexOfNumber<T>*, \
                               ComplexOfNumber<T>*);                   \
  template void SpectrumGradient(                                      \
      int64_t, const ComplexOfNumber<T>*, const ComplexOfNumber<T>*,   \
      const ComplexOfNumber<T>*, const ComplexOfNumber<T>*, T*)
SY_ANY_SPECTRUM_OF(float);
SY_ANY_SPECTRUM_OF(double);
SY_ANY_SPECTRUM_OF(std::complex<float>);
SY_ANY_SPECTRUM_OF(std::complex<double>);

}  // namespace switchyard::phi::kernels::cpu
