// SPDX-License-Identifier: Apache-2.0
// The gradient of operators that are constant but for their steps (floor, ceil,
// round, sign): zero.
#ifndef SWITCHYARD_PHI_COMPOSITE_ZERO_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ZERO_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ZeroGrad(Ops& ops, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.full_like(out_grad, Scalar(0.0), DataType::kUndefined);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ZERO_GRAD_H_
