// SPDX-License-Identifier: Apache-2.0
// The gradient of operators that copy elements as they are (assign, copy,
// contiguous). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_ASSIGN_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ASSIGN_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void AssignGrad(Ops& ops, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.assign(out_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ASSIGN_GRAD_H_
