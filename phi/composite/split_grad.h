// SPDX-License-Identifier: Apache-2.0
// The gradient of split: the parts joined again. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SPLIT_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SPLIT_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SplitGrad(Ops& ops, const typename Ops::List& out_grad, int axis,
               V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.concat(out_grad, axis);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SPLIT_GRAD_H_
