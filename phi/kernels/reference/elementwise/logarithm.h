// SPDX-License-Identifier: Apache-2.0
// Reference kernels: logarithms but the natural one, and the loss made of them.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_LOGARITHM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_LOGARITHM_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// Logarithms that C++ lacks of complex numbers, in long double.
template <typename V>
V LogToBase2(V v) {
  if constexpr (kIsComplex<V>) {
    return static_cast<V>(std::log(std::complex<long double>(v)) /
                          std::log(2.0L));
  } else {
    return std::log2(v);
  }
}
template <typename V>
V LogOfOnePlus(V v) {
  if constexpr (kIsComplex<V>) {
    return static_cast<V>(std::log(1.0L + std::complex<long double>(v)));
  } else {
    return std::log1p(v);
  }
}

SY_FORMULA_1(Log2, Wide, v, LogToBase2(v))
SY_FORMULA_1(Log10, Wide, v, std::log10(v))
SY_FORMULA_1(Log1p, Wide, v, LogOfOnePlus(v))

// -100 for what is below it; NaN stays.
inline double FromMinus100(double v) { return v < -100 ? -100 : v; }
SY_FORMULA_2(BceLoss, Wide, p, label,
             -(label* FromMinus100(std::log(p)) +
               (1 - label) * FromMinus100(std::log(1 - p))))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_LOGARITHM_H_
