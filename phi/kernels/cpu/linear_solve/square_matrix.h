// SPDX-License-Identifier: Apache-2.0
// Solves with one square matrix of float, double or complex numbers by Eigen,
// for the kernels of linear_solve.h. The header keeps Eigen out of the files
// that register kernels. Matrices are row-major; Eigen works on aligned copies
// of them, so that the bits don't depend on where a tensor lies.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_SQUARE_MATRIX_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_SQUARE_MATRIX_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// out = x^-1 for x [n, n]; false, and out is not set, if x is singular.
template <typename T>
bool Invert(int64_t n, const T* x, T* out);

// The determinant of x [n, n]; 1 if n is 0.
template <typename T>
T Determinant(int64_t n, const T* x);

// out = the derivative of the determinant by the elements of x, times `factor`:
// the cofactors, of complex numbers conjugated.
template <typename T>
void DeterminantGradient(int64_t n, T factor, const T* x, T* out);

// out = x^-1 y for x [n, n] and y [n, k]; false, and out is not set, if x is
// singular.
template <typename T>
bool Solve(int64_t n, int64_t k, const T* x, const T* y, T* out);

// Which triangle of a matrix counts, and how.
struct Triangle {
  bool upper;
  bool transpose;  // Of the transposed matrix is to be solved.
  bool unit;       // The diagonal counts as ones.
};

// Does what Solve does for the triangle of x.
template <typename T>
bool SolveTriangle(int64_t n, int64_t k, Triangle triangle, const T* x,
                   const T* y, T* out);

// The triangle out with x = out out^H (`upper`: out^H out), of whose x this
// triangle is read, and of its diagonal the real parts; false, and out is not
// set, if x is not positive definite.
template <typename T>
bool FactorCholesky(int64_t n, bool upper, const T* x, T* out);

// out = x^exponent for x [n, n]; false, and out is not set, if the exponent is
// negative and x singular.
template <typename T>
bool RaiseToPower(int64_t n, int exponent, const T* x, T* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_SQUARE_MATRIX_H_
