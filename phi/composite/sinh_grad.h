// SPDX-License-Identifier: Apache-2.0
// The gradient of sinh: g cosh(x). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SINH_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SINH_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SinhGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, ops.cosh(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SINH_GRAD_H_
