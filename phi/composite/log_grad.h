// SPDX-License-Identifier: Apache-2.0
// The gradient of the natural logarithm: g / x. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_LOG_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LOG_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LogGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.divide(out_grad, x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOG_GRAD_H_
