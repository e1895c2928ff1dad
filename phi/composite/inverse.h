// SPDX-License-Identifier: Apache-2.0
// The gradients of inverse functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_INVERSE_H_
#define SWITCHYARD_PHI_COMPOSITE_INVERSE_H_

#include "framework/types/data_type.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// (1 - x) (1 + x), which is 1 - x^2 without the rounding of x^2: near 1 there
// is nothing else left of the difference. Of complex numbers as written, since
// their roots have cuts. Not an operator's composite itself.
template <typename Ops, typename V>
V OneLessSquare(Ops& ops, const V& x) {
  if (IsComplex(ops.dtype(x))) return Linear(ops, ops.square(x), -1, 1);
  return ops.multiply(Linear(ops, x, -1, 1), Linear(ops, x, 1, 1));
}

// The gradient of acos: -g / sqrt(1 - x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AcosGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V root = Conjugated(ops, ops.sqrt(OneLessSquare(ops, x)));
  *x_grad = Times(ops, ops.divide(out_grad, root), -1);
}

// The gradient of asin: g / sqrt(1 - x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AsinGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V root = Conjugated(ops, ops.sqrt(OneLessSquare(ops, x)));
  *x_grad = ops.divide(out_grad, root);
}

// The gradient of atan: g / (1 + x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AtanGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sum = Linear(ops, ops.square(x), 1, 1);
  *x_grad = ops.divide(out_grad, Conjugated(ops, sum));
}

// The gradient of acosh: g / (sqrt(x - 1) sqrt(x + 1)). The root of x^2 - 1
// would lose what is left near 1, overflow, and might be the other one of a
// complex number. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AcoshGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V below = Linear(ops, x, 1, -1);
  const V above = Linear(ops, x, 1, 1);
  const V root = ops.multiply(ops.sqrt(below), ops.sqrt(above));
  *x_grad = ops.divide(out_grad, Conjugated(ops, root));
}

// The gradient of asinh: g / sqrt(x^2 + 1), where the root is |x| of large
// real numbers, whose squares may overflow. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AsinhGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const auto root = [&](const V& v) {
    return ops.sqrt(Linear(ops, ops.square(v), 1, 1));
  };
  if (IsComplex(ops.dtype(x))) {
    *x_grad = ops.divide(out_grad, ops.conj(root(x)));
    return;
  }
  const V size = ops.abs(x);
  // From here on 1 is lost beside the square in every dtype.
  const V large = ops.greater_than(size, FullLike(ops, x, 1e9));
  const V small = ops.where(large, FullLike(ops, x, 1), x);
  *x_grad = ops.divide(out_grad, ops.where(large, size, root(small)));
}

// The gradient of atanh: g / (1 - x^2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AtanhGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V product = Conjugated(ops, OneLessSquare(ops, x));
  *x_grad = ops.divide(out_grad, product);
}

// The gradient of atan2 with broadcasting: g y / (x^2 + y^2), and
// -g x / (x^2 + y^2); 0 at the origin and at infinity. Both numbers are divided
// by the larger one, whose square may leave the range. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void Atan2Grad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
               V* y_grad) {
  const V larger = ops.maximum(ops.abs(x), ops.abs(y));
  const V zero = FullLike(ops, larger, 0);
  const V none = ops.logical_or(ops.equal(larger, zero), ops.isinf(larger));
  const V size = ops.where(none, FullLike(ops, larger, 1), larger);
  const V a = ops.divide(ops.where(none, zero, x), size);
  const V b = ops.divide(ops.where(none, zero, y), size);
  // From 1 to 2; 1 where both are 0.
  const V sum = ops.where(none, size, ops.add(ops.square(a), ops.square(b)));
  const auto slope = [&](const V& part) {
    const V share = ops.divide(ops.divide(part, sum), size);
    return ops.multiply(out_grad, share);
  };
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, slope(b), x);
  if (y_grad != nullptr) *y_grad = ops.neg(ReduceTo(ops, slope(a), y));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INVERSE_H_
