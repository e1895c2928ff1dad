// SPDX-License-Identifier: Apache-2.0
// The gradient of log_softmax from its result l along `axis`:
// g - exp(l) * sum(g). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_LOG_SOFTMAX_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LOG_SOFTMAX_GRAD_H_

#include <cstdint>

#include "framework/types/data_type.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LogSoftmaxGrad(Ops& ops, const V& out, const V& out_grad, int axis,
                    V* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {axis};
  const V total = ops.sum(out_grad, axes, DataType::kUndefined, true);
  *x_grad = ops.subtract(out_grad, ops.multiply(ops.exp(out), total));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOG_SOFTMAX_GRAD_H_
