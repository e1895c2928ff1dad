// SPDX-License-Identifier: Apache-2.0
// The gradients of the incomplete gamma functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_INCOMPLETE_GAMMA_H_
#define SWITCHYARD_PHI_COMPOSITE_INCOMPLETE_GAMMA_H_

#include "framework/types/data_type.h"
#include "phi/composite/elements.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// out_grad `sign` y^(x-1) exp(-y) / gamma(x), in double: large terms cancel
// within the exponent. 0 where y is infinite. Part of the two below; not an
// operator's composite itself.
template <typename Ops, typename V>
V IncompleteGammaGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                      double sign) {
  const V a = ops.cast(x, DataType::kFloat64);
  const V b = ops.cast(y, DataType::kFloat64);
  const V power = ops.subtract(a, FullLike(ops, a, 1));
  // y^0 is 1 at 0, too.
  const V zero = FullLike(ops, power, 0);
  const V log =
      ops.where(ops.equal(power, zero), zero, ops.multiply(power, ops.log(b)));
  const V slope = ops.exp(ops.subtract(ops.subtract(log, b), ops.lgamma(a)));
  const V finite = ops.where(ops.isinf(b), FullLike(ops, slope, 0), slope);
  const V product = ops.multiply(ops.cast(out_grad, DataType::kFloat64),
                                 Times(ops, finite, sign));
  return ReduceTo(ops, ops.cast(product, ops.dtype(y)), y);
}

// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void GammaincGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                  V* y_grad) {
  if (y_grad == nullptr) return;
  *y_grad = IncompleteGammaGrad(ops, x, y, out_grad, 1);
}

template <typename Ops, typename V = typename Ops::Value>
void GammainccGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                   V* y_grad) {
  if (y_grad == nullptr) return;
  *y_grad = IncompleteGammaGrad(ops, x, y, out_grad, -1);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INCOMPLETE_GAMMA_H_
