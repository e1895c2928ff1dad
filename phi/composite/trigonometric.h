// SPDX-License-Identifier: Apache-2.0
// The gradients of circular and hyperbolic functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_TRIGONOMETRIC_H_
#define SWITCHYARD_PHI_COMPOSITE_TRIGONOMETRIC_H_

#include "phi/composite/calls/of_trigonometric.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The gradient of the sine: g cos(x). Differentiable again.
inline void SinGrad(Ops& ops, const Value& x, const Value& out_grad,
                    Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, op::cos(ops, x)));
}

// The gradient of the cosine: -g sin(x). Differentiable again.
inline void CosGrad(Ops& ops, const Value& x, const Value& out_grad,
                    Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value slope = Times(ops, op::sin(ops, x), -1);
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, slope));
}

// The gradient of sinh: g cosh(x). Differentiable again.
inline void SinhGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, op::cosh(ops, x)));
}

// The gradient of cosh: g sinh(x). Differentiable again.
inline void CoshGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, op::sinh(ops, x)));
}

// The gradient of tan: g / cos(x)^2. Differentiable again.
inline void TanGrad(Ops& ops, const Value& x, const Value& out_grad,
                    Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::divide(ops, out_grad,
                       Conjugated(ops, op::square(ops, op::cos(ops, x))));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRIGONOMETRIC_H_
