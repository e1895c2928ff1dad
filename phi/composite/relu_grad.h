// SPDX-License-Identifier: Apache-2.0
// The gradient of relu from its result: sign(out) is 1 where x was positive, 0
// elsewhere. Differentiable again in out_grad (sign has no gradient: relu is
// piecewise linear).
#ifndef SWITCHYARD_PHI_COMPOSITE_RELU_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_RELU_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ReluGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.multiply(out_grad, ops.sign(out));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RELU_GRAD_H_
