// SPDX-License-Identifier: Apache-2.0
// Reference kernels: sums, products and quotients.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ARITHMETIC_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ARITHMETIC_H_

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_2(Add, Wide, a, b, a + b)
SY_FORMULA_2(Subtract, Wide, a, b, a - b)
SY_FORMULA_2(Multiply, Wide, a, b, (a * b))
SY_FORMULA_2(Divide, Wide, a, b, a / b)
SY_FORMULA_1(Neg, Wide, v, -v)
SY_FORMULA_1(Reciprocal, Wide, v, V(1) / v)

template <typename S>
inline constexpr auto kScaleSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ScaleKernel(const ReferenceContext&, const DenseTensor& x,
                         const Scalar& scale, const Scalar& bias,
                         bool bias_after_scale, DenseTensor* out) {
  using V = Wide<T>;
  const auto s = static_cast<V>(scale.to<Computed<T>>());
  const auto b = static_cast<V>(bias.to<Computed<T>>());
  return Unary<T, V>(
      x, out, [=](V v) { return bias_after_scale ? s * v + b : s * (v + b); });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ARITHMETIC_H_
