// SPDX-License-Identifier: Apache-2.0
// Reference kernels: activations that are lines, in pieces.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ACTIVATION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ACTIVATION_H_

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

SY_FORMULA_1(Relu, Own, v, v <= 0 ? 0 : v)
SY_FORMULA_2(ReluGrad, Wide, out, grad, out > 0 ? grad : 0)
SY_FORMULA_1(Relu6, Own, v, v<0 ? 0 : v> 6 ? 6 : v)
SY_FORMULA_1(Hardswish, Wide, v, v <= -3 ? 0 : v >= 3 ? v : v * (v + 3) / 6)

template <typename S>
inline constexpr auto kLeakyReluSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LeakyReluKernel(const ReferenceContext&, const DenseTensor& x,
                             double negative_slope, DenseTensor* out) {
  return Unary<T, double>(
      x, out, [=](double v) { return v > 0 ? v : v * negative_slope; });
}

template <typename S>
inline constexpr auto kHardsigmoidSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status HardsigmoidKernel(const ReferenceContext&, const DenseTensor& x,
                               double slope, double offset, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    const double line = slope * v + offset;
    return line < 0 ? 0 : line > 1 ? 1 : line;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ACTIVATION_H_
