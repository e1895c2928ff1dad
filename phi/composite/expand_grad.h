// SPDX-License-Identifier: Apache-2.0
// The gradient of broadcasting x to a larger shape (expand, expand_as): the sum
// over what was repeated. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_EXPAND_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_EXPAND_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ExpandGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.reduce_as(out_grad, x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXPAND_GRAD_H_
