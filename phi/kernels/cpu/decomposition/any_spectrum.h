// SPDX-License-Identifier: Apache-2.0
// The eigenvalues and eigenvectors of one matrix that need not be symmetric, by
// Eigen, for the kernels of spectrum.h, which it keeps Eigen out of. Matrices
// are row-major; all is computed in double, on aligned copies.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_ANY_SPECTRUM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_ANY_SPECTRUM_H_

#include <complex>
#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// Names std::complex of the reals of T, which may be complex already.
template <typename T>
struct ComplexNumber {
  using type = std::complex<T>;
};
template <typename T>
struct ComplexNumber<std::complex<T>> {
  using type = std::complex<T>;
};
// The complex numbers that hold those of T.
template <typename T>
using ComplexOfNumber = typename ComplexNumber<T>::type;

// The eigenvalues w [n] of x [n, n], in no particular order, and eigenvectors
// of length 1, columns of v, which may be null; the entry of largest magnitude
// of each is real and positive. False, and the results are not to be used, if x
// has an infinity or a NaN, or there is no convergence.
template <typename T>
bool FactorSpectrum(int64_t n, const T* x, ComplexOfNumber<T>* w,
                    ComplexOfNumber<T>* v);

// The gradient of x, whose eigenvalues and vectors are w and v, for theirs. Of
// real matrices its real part.
template <typename T>
void SpectrumGradient(int64_t n, const ComplexOfNumber<T>* w,
                      const ComplexOfNumber<T>* v,
                      const ComplexOfNumber<T>* w_grad,
                      const ComplexOfNumber<T>* v_grad, T* x_grad);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_ANY_SPECTRUM_H_
