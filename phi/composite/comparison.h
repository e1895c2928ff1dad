// SPDX-License-Identifier: Apache-2.0
// The gradients of choice by a condition, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_COMPARISON_H_
#define SWITCHYARD_PHI_COMPOSITE_COMPARISON_H_

#include "phi/composite/calls/of_comparison.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of where: to x where the condition is true, to y elsewhere.
// Differentiable again.
inline void WhereGrad(Ops& ops, const Value& condition, const Value& x,
                      const Value& y, const Value& out_grad, Value* x_grad,
                      Value* y_grad) {
  const Value zero = FullLike(ops, out_grad, 0);
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, op::where(ops, condition, out_grad, zero), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, op::where(ops, condition, zero, out_grad), y);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COMPARISON_H_
