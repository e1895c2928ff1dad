// SPDX-License-Identifier: Apache-2.0
// Reference kernels: activations made of the logistic function and tanh.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SIGMOID_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SIGMOID_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// The conjugate of a complex number; a real number itself.
template <typename V>
V Conjugate(V v) {
  if constexpr (kIsComplex<V>) {
    return std::conj(v);
  } else {
    return v;
  }
}

SY_FORMULA_1(Sigmoid, Wide, v, 1.0 / (1.0 + std::exp(-v)))
SY_FORMULA_2(SigmoidGrad, Wide, out, grad,
             (grad * Conjugate(out * (1.0 - out))))
SY_FORMULA_1(Tanh, Wide, v, std::tanh(v))
SY_FORMULA_2(TanhGrad, Wide, out, grad, (grad * Conjugate(1.0 - out * out)))

// v / (1 + e^-v); 0 at -infinity.
template <typename V>
V SiluOf(V v) {
  if constexpr (!kIsComplex<V>) {
    if (std::isinf(v) && v < 0) return 0;
  }
  return v / (1.0 + std::exp(-v));
}
SY_FORMULA_1(Silu, Wide, v, SiluOf(v))

// The derivative of silu; 0 and 1 at the infinities.
template <typename V>
V SlopeOfSilu(V v) {
  if constexpr (!kIsComplex<V>) {
    if (std::isinf(v)) return v > 0 ? 1 : 0;
  }
  const V s = 1.0 / (1.0 + std::exp(-v));
  return s + v * s / (1.0 + std::exp(v));
}
SY_FORMULA_2(SiluGrad, Wide, v, grad, (grad * Conjugate(SlopeOfSilu(v))))
SY_FORMULA_2(SwishGrad, Wide, v, grad, grad* SlopeOfSilu(v))

template <typename S>
inline constexpr auto kSoftplusSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SoftplusKernel(const ReferenceContext&, const DenseTensor& x,
                            double beta, double threshold, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    const double scaled = beta * v;
    return scaled > threshold ? v : std::log1p(std::exp(scaled)) / beta;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SIGMOID_H_
