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

// log(b^(a-1) exp(-b) / gamma(a)) of a large a and b = a (1 + u), by Stirling's
// formula, whose terms of a log(a) are left out. Part of the one below; not an
// operator's composite itself.
inline Value LogDensityNear(Ops& ops, const Value& a, const Value& u,
                            const Value& log_b) {
  constexpr double kHalfLog2Pi = 0.91893853320467274178;
  const Value inverse = op::divide(ops, FullLike(ops, a, 1), a);
  const Value square = op::multiply(ops, inverse, inverse);
  Value rest = Linear(ops, square, 1.0 / 1260, -1.0 / 360);
  rest = Linear(ops, op::multiply(ops, rest, square), 1, 1.0 / 12);
  rest = op::multiply(ops, rest, inverse);
  const Value bent =
      op::multiply(ops, a, op::subtract(ops, op::log1p(ops, u), u));
  const Value root = Linear(ops, op::log(ops, a), 0.5, -kHalfLog2Pi);
  return op::subtract(ops, op::subtract(ops, op::add(ops, bent, root), log_b),
                      rest);
}

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
  const Value plain =
      op::subtract(ops, op::subtract(ops, log, b), op::lgamma(ops, a));
  const Value u = op::divide(ops, op::subtract(ops, b, a), a);
  const Value near = op::logical_and(
      ops, op::greater_than(ops, a, FullLike(ops, a, 50)),
      op::less_than(ops, op::abs(ops, u), FullLike(ops, u, 0.5)));
  const Value large = op::where(ops, near, a, FullLike(ops, u, 50));
  const Value small = op::where(ops, near, u, FullLike(ops, u, 0));
  const Value slope =
      op::exp(ops, op::where(ops, near,
                             LogDensityNear(ops, large, small, op::log(ops, b)),
                             plain));
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
