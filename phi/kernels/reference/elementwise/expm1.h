// SPDX-License-Identifier: Apache-2.0
// Reference kernels: e^x - 1 and the activations made of it.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXPM1_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXPM1_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// e^v - 1, of complex numbers in long double.
template <typename V>
V ExpLessOne(V v) {
  if constexpr (kIsComplex<V>) {
    return static_cast<V>(std::exp(std::complex<long double>(v)) - 1.0L);
  } else {
    return std::expm1(v);
  }
}

SY_FORMULA_1(Expm1, Wide, v, ExpLessOne(v))

template <typename S>
inline constexpr auto kEluSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status EluKernel(const ReferenceContext&, const DenseTensor& x,
                       double alpha, DenseTensor* out) {
  return Unary<T, double>(
      x, out, [=](double v) { return v <= 0 ? alpha * std::expm1(v) : v; });
}

template <typename S>
inline constexpr auto kCeluSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CeluKernel(const ReferenceContext&, const DenseTensor& x,
                        double alpha, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    return v <= 0 ? alpha * std::expm1(v / alpha) : v;
  });
}

template <typename S>
inline constexpr auto kSeluSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SeluKernel(const ReferenceContext&, const DenseTensor& x,
                        double scale, double alpha, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    return v <= 0 ? scale * alpha * std::expm1(v) : scale * v;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXPM1_H_
