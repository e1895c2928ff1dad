// SPDX-License-Identifier: Apache-2.0
// The gradient of x limited to [min, max]: g where that is x itself, both ends
// included. Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_CLIP_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_CLIP_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ClipGrad(Ops& ops, const V& x, const V& out_grad, const Scalar& min,
              const Scalar& max, V* x_grad) {
  if (x_grad == nullptr) return;
  const V inside = ops.equal(ops.clip(x, min, max), x);
  *x_grad = ops.multiply(out_grad, ops.cast(inside, ops.dtype(out_grad)));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CLIP_GRAD_H_
