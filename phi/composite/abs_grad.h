// SPDX-License-Identifier: Apache-2.0
// The gradient of |x|: g sign(x). Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_ABS_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ABS_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void AbsGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, ops.sign(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ABS_GRAD_H_
