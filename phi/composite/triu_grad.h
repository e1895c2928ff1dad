// SPDX-License-Identifier: Apache-2.0
// Gradient of triu: what it keeps, it keeps. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_TRIU_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_TRIU_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TriuGrad(Ops& ops, const V& out_grad, int diagonal, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.triu(out_grad, diagonal);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRIU_GRAD_H_
