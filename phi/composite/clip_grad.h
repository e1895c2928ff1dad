// SPDX-License-Identifier: Apache-2.0
// The gradient of x limited to [min, max]: g there, both ends included, as in
// Paddle; 0 elsewhere. Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_CLIP_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_CLIP_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ClipGrad(Ops& ops, const V& x, const V& out_grad, const Scalar& min,
              const Scalar& max, V* x_grad) {
  if (x_grad == nullptr) return;
  const DataType same = DataType::kUndefined;
  const V inside =
      ops.logical_and(ops.less_equal(ops.full_like(x, min, same), x),
                      ops.less_equal(x, ops.full_like(x, max, same)));
  *x_grad =
      ops.where(inside, out_grad, ops.full_like(out_grad, Scalar(0.0), same));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CLIP_GRAD_H_
