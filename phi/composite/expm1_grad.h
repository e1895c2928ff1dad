// SPDX-License-Identifier: Apache-2.0
// The gradient of expm1: g out + g. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_EXPM1_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_EXPM1_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Expm1Grad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.add(ops.multiply(out_grad, out), out_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXPM1_GRAD_H_
