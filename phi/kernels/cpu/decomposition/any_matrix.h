// SPDX-License-Identifier: Apache-2.0
// Decomposes one matrix of float, double or complex numbers by Eigen, for the
// kernels of decomposition.h. The header keeps Eigen out of the files that
// register kernels. Matrices are row-major; Eigen works on aligned copies of
// them, so that the bits don't depend on where a tensor lies, and in double:
// one instance of its decompositions for real and one for complex numbers are
// compiled, a minute's work each.
//
// Vectors that a decomposition determines up to their sign, or their phase,
// have a positive entry of largest magnitude, so that a result does not depend
// on the method. y^H is the transposed and, of complex numbers, conjugated y.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_ANY_MATRIX_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_ANY_MATRIX_H_

#include <cstdint>

#include "framework/types/data_type.h"

namespace switchyard::phi::kernels::cpu {

// x [m, n] = q r with q [m, k] orthogonal and r [k, n] upper triangular with a
// real diagonal, by Householder's reflections; k is m, or the smaller one of m
// and n. q may be null.
template <typename T>
void FactorQr(int64_t m, int64_t n, int64_t k, const T* x, T* q, T* r);

// The reflections 1 - tau v v^H by which FactorQr finds q, their product: r is
// in the upper triangle of a [m, n], v without its first entry, 1, below the
// diagonal, and tau [k].
template <typename T>
void FactorReflections(int64_t m, int64_t n, const T* x, T* a, T* tau);

// x [m, n] = u diag(s) vh with s falling; k numbers are in s, and u [m, j] and
// vh [l, n] have j and l orthogonal vectors: k, or (`full`) m and n. u and vh
// may be null. False, and the results are not to be used, if x has an infinity
// or a NaN.
template <typename T>
bool FactorSvd(int64_t m, int64_t n, bool full, const T* x, T* u,
               RealType<T>* s, T* vh);

// The eigenvalues w [n] of the symmetric or Hermitian matrix x [n, n], rising,
// and the eigenvectors, columns of v, which may be null. One triangle of x is
// read, and the real parts of its diagonal.
// False, and the results are not to be used, if there is no convergence, as
// with a NaN.
template <typename T>
bool FactorSymmetric(int64_t n, bool upper, const T* x, RealType<T>* w, T* v);

// x [m, n] after exchanges of rows = l u, both in out: l below the diagonal,
// which is ones, u above. pivots[i] is the row, counted from 1, that row i was
// exchanged with. Returns the number of the first column, from 1, whose pivot
// is 0; 0 if there is none.
template <typename T>
int32_t FactorLu(int64_t m, int64_t n, const T* x, T* out, int32_t* pivots);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_ANY_MATRIX_H_
