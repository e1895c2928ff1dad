// SPDX-License-Identifier: Apache-2.0
// The gradients of choice by a condition, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_COMPARISON_H_
#define SWITCHYARD_PHI_COMPOSITE_COMPARISON_H_

#include "phi/composite/elements.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of where: to x where the condition is true, to y elsewhere.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void WhereGrad(Ops& ops, const V& condition, const V& x, const V& y,
               const V& out_grad, V* x_grad, V* y_grad) {
  const V zero = FullLike(ops, out_grad, 0);
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.where(condition, out_grad, zero), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, ops.where(condition, zero, out_grad), y);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COMPARISON_H_
