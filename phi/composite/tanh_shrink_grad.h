// SPDX-License-Identifier: Apache-2.0
// The gradient of tanh_shrink: g tanh(x)^2. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_TANH_SHRINK_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_TANH_SHRINK_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TanhShrinkGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, ops.square(ops.tanh(x)));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TANH_SHRINK_GRAD_H_
