// SPDX-License-Identifier: Apache-2.0
// The gradients of inverse functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_INVERSE_H_
#define SWITCHYARD_PHI_COMPOSITE_INVERSE_H_

#include "framework/types/data_type.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of acos: -g / sqrt(1 - x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AcosGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V square = Linear(ops, ops.square(x), -1, 1);
  const V root = Conjugated(ops, ops.sqrt(square));
  *x_grad = Times(ops, ops.divide(out_grad, root), -1);
}

// The gradient of asin: g / sqrt(1 - x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AsinGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V square = Linear(ops, ops.square(x), -1, 1);
  *x_grad = ops.divide(out_grad, Conjugated(ops, ops.sqrt(square)));
}

// The gradient of atan: g / (1 + x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AtanGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sum = Linear(ops, ops.square(x), 1, 1);
  *x_grad = ops.divide(out_grad, Conjugated(ops, sum));
}

// The gradient of acosh: g / sqrt(x^2 - 1); of a complex number, whose root
// might be the other one, g / (sqrt(x - 1) sqrt(x + 1)). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AcoshGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  if (IsComplex(ops.dtype(x))) {
    const V below = Linear(ops, x, 1, -1);
    const V above = Linear(ops, x, 1, 1);
    const V root = ops.multiply(ops.sqrt(below), ops.sqrt(above));
    *x_grad = ops.divide(out_grad, ops.conj(root));
    return;
  }
  const V square = Linear(ops, ops.square(x), 1, -1);
  *x_grad = ops.divide(out_grad, ops.sqrt(square));
}

// The gradient of asinh: g / sqrt(x^2 + 1). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AsinhGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V square = Linear(ops, ops.square(x), 1, 1);
  *x_grad = ops.divide(out_grad, Conjugated(ops, ops.sqrt(square)));
}

// The gradient of atanh: g / (1 - x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AtanhGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sum = Linear(ops, ops.square(x), -1, 1);
  *x_grad = ops.divide(out_grad, Conjugated(ops, sum));
}

// The gradient of atan2 with broadcasting: g y / (x^2 + y^2), and
// -g x / (x^2 + y^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void Atan2Grad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
               V* y_grad) {
  const V slope = ops.divide(out_grad, ops.add(ops.square(x), ops.square(y)));
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.multiply(slope, y), x);
  }
  if (y_grad != nullptr) {
    const V sum = ReduceTo(ops, ops.multiply(slope, x), y);
    *y_grad = Times(ops, sum, -1);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INVERSE_H_
