// SPDX-License-Identifier: Apache-2.0
// The gradient of softplus: g sigmoid(beta x), g itself where beta x is above
// the threshold. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SOFTPLUS_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SOFTPLUS_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SoftplusGrad(Ops& ops, const V& x, const V& out_grad, double beta,
                  double threshold, V* x_grad) {
  if (x_grad == nullptr) return;
  const V scaled = ops.scale(x, Scalar(beta), Scalar(0.0), true);
  const V limit = ops.full_like(x, Scalar(threshold), DataType::kUndefined);
  const V smooth = ops.multiply(out_grad, ops.sigmoid(scaled));
  *x_grad = ops.where(ops.greater_than(scaled, limit), out_grad, smooth);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SOFTPLUS_GRAD_H_
