// SPDX-License-Identifier: Apache-2.0
// Gradient of prod: g times the product of the other elements, also where some
// are 0. With z = 1 where x is 0 and s = x + z, that product is prod(s) / s if
// no other element is 0, else 0. Differentiable again where x is not 0.
#ifndef SWITCHYARD_PHI_COMPOSITE_PROD_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_PROD_GRAD_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "phi/composite/reduced_shape.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ProdGrad(Ops& ops, const V& x, const V& out_grad,
              absl::Span<const int64_t> axis, bool keepdim, V* x_grad) {
  if (x_grad == nullptr) return;
  std::vector<int64_t> axes(axis.begin(), axis.end());
  const V zero = ops.cast(ops.logical_not(x), ops.dtype(x));
  const V safe = ops.add(x, zero);
  const V product = ops.prod(safe, axes, true);
  const V zeros = ops.sum(zero, axes, DataType::kUndefined, true);
  const V alone =
      ops.cast(ops.logical_not(ops.subtract(zeros, zero)), ops.dtype(x));
  const V others = ops.multiply(ops.divide(product, safe), alone);
  const V grad = KeepReducedAxes(ops, x, out_grad, axis, keepdim);
  *x_grad = ops.multiply(others, grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_PROD_GRAD_H_
