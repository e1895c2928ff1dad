// SPDX-License-Identifier: Apache-2.0
// The gradient of legacy_elementwise_pow: that of the operator without `axis`,
// in the operands' shapes.
#ifndef SWITCHYARD_PHI_COMPOSITE_LEGACY_ELEMENTWISE_POW_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LEGACY_ELEMENTWISE_POW_GRAD_H_

#include "phi/composite/aligned_grad.h"
#include "phi/composite/elementwise_pow_grad.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LegacyElementwisePowGrad(Ops& ops, const V& x, const V& y, const V& out,
                              const V& out_grad, int axis, V* x_grad,
                              V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                ElementwisePowGrad(ops, a, b, out, out_grad, a_grad, b_grad);
              });
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEGACY_ELEMENTWISE_POW_GRAD_H_
