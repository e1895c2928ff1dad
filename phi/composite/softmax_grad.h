// SPDX-License-Identifier: Apache-2.0
// The gradient of softmax from its result s along `axis`:
// s * (g - sum(g * s)). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SOFTMAX_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SOFTMAX_GRAD_H_

#include <cstdint>

#include "framework/types/data_type.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SoftmaxGrad(Ops& ops, const V& out, const V& out_grad, int axis,
                 V* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {axis};
  const V dot =
      ops.sum(ops.multiply(out_grad, out), axes, DataType::kUndefined, true);
  *x_grad = ops.multiply(out, ops.subtract(out_grad, dot));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SOFTMAX_GRAD_H_
