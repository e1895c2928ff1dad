// SPDX-License-Identifier: Apache-2.0
// Gradient of bmm: g y^T and x^T g. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_BMM_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_BMM_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void BmmGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
             V* y_grad) {
  if (x_grad != nullptr) *x_grad = ops.matmul(out_grad, y, false, true);
  if (y_grad != nullptr) *y_grad = ops.matmul(x, out_grad, true, false);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_BMM_GRAD_H_
