// SPDX-License-Identifier: Apache-2.0
// The gradients of circular and hyperbolic functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_TRIGONOMETRIC_H_
#define SWITCHYARD_PHI_COMPOSITE_TRIGONOMETRIC_H_

#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// The gradient of the sine: g cos(x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SinGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, Conjugated(ops, ops.cos(x)));
}

// The gradient of the cosine: -g sin(x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void CosGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V slope = Times(ops, ops.sin(x), -1);
  *x_grad = ops.multiply(out_grad, Conjugated(ops, slope));
}

// The gradient of sinh: g cosh(x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SinhGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, Conjugated(ops, ops.cosh(x)));
}

// The gradient of cosh: g sinh(x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void CoshGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, Conjugated(ops, ops.sinh(x)));
}

// The gradient of tan: g / cos(x)^2. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TanGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.divide(out_grad, Conjugated(ops, ops.square(ops.cos(x))));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRIGONOMETRIC_H_
