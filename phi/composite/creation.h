// SPDX-License-Identifier: Apache-2.0
// The gradients of operators that make tensors, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_CREATION_H_
#define SWITCHYARD_PHI_COMPOSITE_CREATION_H_

namespace switchyard::phi::composite {

// Gradient of tril: what it keeps, it keeps. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TrilGrad(Ops& ops, const V& out_grad, int diagonal, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.tril(out_grad, diagonal);
}

// Gradient of triu: what it keeps, it keeps. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TriuGrad(Ops& ops, const V& out_grad, int diagonal, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.triu(out_grad, diagonal);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CREATION_H_
