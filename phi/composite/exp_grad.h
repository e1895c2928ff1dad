// SPDX-License-Identifier: Apache-2.0
// The gradient of exp from its result. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_EXP_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_EXP_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ExpGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.multiply(out_grad, out);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXP_GRAD_H_
