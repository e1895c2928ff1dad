// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues of complex matrices, for the reference
// kernels of decomposition.h, by those of real matrices (jacobi.h): [[A, -B],
// [B, A]] has each value of A + iB twice, and a vector [x, y] of it is x + iy
// up to a phase. The entry of largest magnitude of such a vector is made
// positive.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_COMPLEX_MATRIX_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_COMPLEX_MATRIX_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "phi/kernels/reference/decomposition/jacobi.h"
#include "phi/kernels/reference/linear_solve/matrix.h"

namespace switchyard::phi::kernels::reference {

inline Matrix RealMatrix(const ComplexMatrix& a) {
  const int64_t m = a.rows(), n = a.columns();
  Matrix real(2 * m, 2 * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      real(i, j) = real(m + i, n + j) = a(i, j).real();
      real(m + i, j) = a(i, j).imag();
      real(i, n + j) = -a(i, j).imag();
    }
  }
  return real;
}

// Each second column of a real matrix, as one of complex numbers.
inline ComplexMatrix ComplexColumns(const Matrix& real) {
  const int64_t m = real.rows() / 2, n = real.columns() / 2;
  ComplexMatrix a(m, n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      a(i, j) = {real(i, 2 * j), real(m + i, 2 * j)};
    }
  }
  return a;
}

// Multiplies column j by a phase that makes its first entry of largest
// magnitude positive; returns the phase.
inline std::complex<double> FixPhase(ComplexMatrix* a, int64_t j) {
  std::complex<double> best = 0;
  for (int64_t r = 0; r < a->rows(); ++r) {
    if (std::abs((*a)(r, j)) > std::abs(best)) best = (*a)(r, j);
  }
  if (best == 0.0) return 1;
  const std::complex<double> phase = std::conj(best) / std::abs(best);
  for (int64_t r = 0; r < a->rows(); ++r) (*a)(r, j) *= phase;
  return phase;
}

inline SingularValuesOf<std::complex<double>> Svd(const ComplexMatrix& x) {
  const SingularValues real = Svd(RealMatrix(x));
  SingularValuesOf<std::complex<double>> found;
  for (size_t i = 0; i < real.s.size(); i += 2) found.s.push_back(real.s[i]);
  found.u = ComplexColumns(real.u);
  found.v = ComplexColumns(real.v);
  return found;
}

inline void FixSigns(SingularValuesOf<std::complex<double>>* svd) {
  const auto k = static_cast<int64_t>(svd->s.size());
  for (int64_t j = 0; j < svd->u.columns(); ++j) {
    const std::complex<double> phase = FixPhase(&svd->u, j);
    for (int64_t r = 0; j < k && r < svd->v.rows(); ++r) svd->v(r, j) *= phase;
  }
  for (int64_t j = k; j < svd->v.columns(); ++j) FixPhase(&svd->v, j);
}

inline std::vector<double> Eigenvalues(const ComplexMatrix& a,
                                       ComplexMatrix* vectors) {
  Matrix real_vectors;
  const std::vector<double> real = Eigenvalues(RealMatrix(a), &real_vectors);
  std::vector<double> values;
  for (size_t i = 0; i < real.size(); i += 2) values.push_back(real[i]);
  *vectors = ComplexColumns(real_vectors);
  for (int64_t j = 0; j < vectors->columns(); ++j) FixPhase(vectors, j);
  return values;
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_COMPLEX_MATRIX_H_
