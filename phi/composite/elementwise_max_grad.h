// SPDX-License-Identifier: Apache-2.0
// The gradient of elementwise_max: that of the operator without `axis`, in the
// operands' shapes.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_MAX_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_MAX_GRAD_H_

#include "phi/composite/aligned_grad.h"
#include "phi/composite/maximum_grad.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMaxGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                        int axis, V* x_grad, V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                MaximumGrad(ops, a, b, out_grad, a_grad, b_grad);
              });
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_MAX_GRAD_H_
