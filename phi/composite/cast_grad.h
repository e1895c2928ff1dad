// SPDX-License-Identifier: Apache-2.0
// The gradient of cast: cast back. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_CAST_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_CAST_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void CastGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.cast(out_grad, ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CAST_GRAD_H_
