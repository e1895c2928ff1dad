// SPDX-License-Identifier: Apache-2.0
// The gradient of gelu for those who differentiate it again; the first
// derivative has a kernel. Exact: Phi(x) + x phi(x). Approximate, with t the
// tanh of u = sqrt(2 / pi) (x + 0.044715 x^3): (1 + t) / 2 + x / 2 (1 - t^2)
// u'.
#ifndef SWITCHYARD_PHI_COMPOSITE_GELU_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_GELU_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void GeluGrad(Ops& ops, const V& x, const V& out_grad, bool approximate,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const auto line = [&](const V& v, double factor, double offset) {
    return ops.scale(v, Scalar(factor), Scalar(offset), true);
  };
  // Beyond, the gradient is 0 or 1 in every dtype, but powers of x overflow,
  // and infinity times 0 is NaN.
  const V z = ops.clip(x, Scalar(-100.0), Scalar(100.0));
  const V square = ops.square(z);
  V share = z, slope = z;  // The factor of x in gelu, and its derivative.
  if (approximate) {
    constexpr double kRoot = 0.79788456080286535588;
    const V cubic = ops.multiply(z, line(square, 0.044715 * kRoot, kRoot));
    const V t = ops.tanh(cubic);
    share = line(t, 0.5, 0.5);
    slope = ops.multiply(line(ops.square(t), -0.5, 0.5),
                         line(square, 3 * 0.044715 * kRoot, kRoot));
  } else {
    share = line(ops.erf(line(z, 0.70710678118654752440, 0)), 0.5, 0.5);
    slope = line(ops.exp(line(square, -0.5, 0)), 0.39894228040143267794, 0);
  }
  const V sum = ops.add(share, ops.multiply(z, slope));
  *x_grad = ops.multiply(out_grad, sum);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_GELU_GRAD_H_
