// SPDX-License-Identifier: Apache-2.0
// The gradients of the incomplete gamma functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_INCOMPLETE_GAMMA_H_
#define SWITCHYARD_PHI_COMPOSITE_INCOMPLETE_GAMMA_H_

#include "framework/types/data_type.h"
#include "phi/composite/calls/of_incomplete_gamma.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// out_grad `sign` y^(x-1) exp(-y) / gamma(x), in double: large terms cancel
// within the exponent. 0 where y is infinite. Part of the two below; not an
// operator's composite itself.
inline Value IncompleteGammaGrad(Ops& ops, const Value& x, const Value& y,
                                 const Value& out_grad, double sign) {
  const Value a = op::cast(ops, x, DataType::kFloat64);
  const Value b = op::cast(ops, y, DataType::kFloat64);
  const Value power = op::subtract(ops, a, FullLike(ops, a, 1));
  // y^0 is 1 at 0, too.
  const Value zero = FullLike(ops, power, 0);
  const Value log = op::where(ops, op::equal(ops, power, zero), zero,
                              op::multiply(ops, power, op::log(ops, b)));
  const Value slope = op::exp(
      ops, op::subtract(ops, op::subtract(ops, log, b), op::lgamma(ops, a)));
  const Value finite =
      op::where(ops, op::isinf(ops, b), FullLike(ops, slope, 0), slope);
  const Value product =
      op::multiply(ops, op::cast(ops, out_grad, DataType::kFloat64),
                   Times(ops, finite, sign));
  return ReduceTo(ops, op::cast(ops, product, ops.dtype(y)), y);
}

// Differentiable again.
inline void GammaincGrad(Ops& ops, const Value& x, const Value& y,
                         const Value& out_grad, Value* y_grad) {
  if (y_grad == nullptr) return;
  *y_grad = IncompleteGammaGrad(ops, x, y, out_grad, 1);
}

inline void GammainccGrad(Ops& ops, const Value& x, const Value& y,
                          const Value& out_grad, Value* y_grad) {
  if (y_grad == nullptr) return;
  *y_grad = IncompleteGammaGrad(ops, x, y, out_grad, -1);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INCOMPLETE_GAMMA_H_
