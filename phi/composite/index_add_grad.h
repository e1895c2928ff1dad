// SPDX-License-Identifier: Apache-2.0
// Gradient of index_add: out_grad for x, its slices at `index` for add_value.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_INDEX_ADD_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_INDEX_ADD_GRAD_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void IndexAddGrad(Ops& ops, const V&, const V& index, const V&,
                  const V& out_grad, int axis, V* x_grad, V* add_value_grad) {
  if (x_grad != nullptr) *x_grad = out_grad;
  if (add_value_grad != nullptr) {
    *add_value_grad = ops.index_select(out_grad, index, axis);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INDEX_ADD_GRAD_H_
