// SPDX-License-Identifier: Apache-2.0
// The gradients of operators that make tensors, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_CREATION_H_
#define SWITCHYARD_PHI_COMPOSITE_CREATION_H_

#include "phi/composite/calls/of_creation.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Gradient of tril: what it keeps, it keeps. Differentiable again.
inline void TrilGrad(Ops& ops, const Value& out_grad, int diagonal,
                     Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::tril(ops, out_grad, diagonal);
}

// Gradient of triu: what it keeps, it keeps. Differentiable again.
inline void TriuGrad(Ops& ops, const Value& out_grad, int diagonal,
                     Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::triu(ops, out_grad, diagonal);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CREATION_H_
