// SPDX-License-Identifier: Apache-2.0
// The gradients of arithmetic, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_ARITHMETIC_H_
#define SWITCHYARD_PHI_COMPOSITE_ARITHMETIC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_arithmetic.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// Ends the composite unless `value`, one of the list `argument`, may be of the
// dtype and shape of `first`. Not an operator's composite itself.
inline void SameAsFirst(Ops& ops, const Value& first, const Value& value,
                        std::string_view argument) {
  const Shape wanted = ops.shape(first), shape = ops.shape(value);
  bool same = wanted.rank() == shape.rank();
  for (int i = 0; same && i < shape.rank(); ++i) {
    same = MayEqual(wanted[i], shape[i]);
  }
  if (!same) {
    return ops.Fail(ArgumentError(argument, "of one shape, " + ToString(wanted),
                                  ToString(shape)));
  }
  if (ops.dtype(first) != ops.dtype(value)) {
    ops.Fail(TypeError(argument,
                       "of one dtype, " + std::string(Name(ops.dtype(first))),
                       Name(ops.dtype(value))));
  }
}

// x + value. Gradients are those of scale.
inline void Increment(Ops& ops, const Value& x, const Scalar& value,
                      Value* out) {
  if (out == nullptr) return;
  const DataType dtype = ops.dtype(x);
  if (value.is_complex() && !IsComplex(dtype)) {
    return ops.Fail(TypeError("value", "real for " + std::string(Name(dtype)),
                              ToString(value)));
  }
  *out = op::scale(ops, x, Scalar(int64_t{1}), value, true);
}

// The sum of the list, from its first tensor on. Gradients are those of add.
inline void AddN(Ops& ops, const List& x, Value* out) {
  if (out == nullptr) return;
  if (x.empty()) {
    return ops.Fail(ArgumentError("x", "at least one tensor", "none"));
  }
  // Several may be SelectedRows, which assign does not take.
  Value sum = x.size() == 1 ? op::assign(ops, x[0]) : x[0];
  for (size_t i = 1; i < x.size(); ++i) {
    SameAsFirst(ops, x[0], x[i], "x");
    sum = op::add(ops, sum, x[i]);
  }
  *out = sum;
}

// The gradient of x + y with broadcasting. Differentiable again.
inline void AddGrad(Ops& ops, const Value& x, const Value& y,
                    const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) *y_grad = ReduceTo(ops, out_grad, y);
}

// The gradient of x - y with broadcasting. Differentiable again.
inline void SubtractGrad(Ops& ops, const Value& x, const Value& y,
                         const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) {
    const Value sum = ReduceTo(ops, out_grad, y);
    *y_grad = Times(ops, sum, -1);
  }
}

// The product of `a` and the conjugate of `b`. Not an operator's composite
// itself.
inline Value TimesConjugate(Ops& ops, const Value& a, const Value& b) {
  // Real numbers are their own conjugates: without another handle of b.
  if (!IsComplex(ops.dtype(b))) return op::multiply(ops, a, b);
  return op::multiply(ops, a, op::conj(ops, b));
}

// The gradient of x * y with broadcasting: g y and g x, of complex numbers with
// the conjugates of y and x. Differentiable again.
inline void MultiplyGrad(Ops& ops, const Value& x, const Value& y,
                         const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, TimesConjugate(ops, out_grad, y), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, TimesConjugate(ops, out_grad, x), y);
  }
}

// The gradient of out = x / y with broadcasting: g / y, and -g (out / y), of
// complex numbers with the conjugates of y and out / y. Reads `out` for
// `y_grad` only. Differentiable again.
inline void QuotientGrad(Ops& ops, const Value& x, const Value& y,
                         const Value& out, const Value& out_grad, Value* x_grad,
                         Value* y_grad) {
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, op::divide(ops, out_grad, Conjugated(ops, y)), x);
  }
  if (y_grad != nullptr) {
    // g / y may be infinite where out / y is 0.
    const Value slope = Conjugated(ops, op::divide(ops, out, y));
    const Value sum = ReduceTo(ops, op::multiply(ops, out_grad, slope), y);
    *y_grad = Times(ops, sum, -1);
  }
}

// The gradient of x / y from its inputs alone. The quotient is computed again:
// what is written over it in place harms no gradient, and its memory is free.
inline void DivideGrad(Ops& ops, const Value& x, const Value& y,
                       const Value& out_grad, Value* x_grad, Value* y_grad) {
  const Value out = y_grad == nullptr ? x : op::divide(ops, x, y);
  QuotientGrad(ops, x, y, out, out_grad, x_grad, y_grad);
}

// The gradient of the remainder of x by y with broadcasting: g, and -g floor(x
// / y). Differentiable again in out_grad.
inline void RemainderGrad(Ops& ops, const Value& x, const Value& y,
                          const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) {
    const Value product =
        op::multiply(ops, out_grad, op::floor_divide(ops, x, y));
    const Value sum = ReduceTo(ops, product, y);
    *y_grad = Times(ops, sum, -1);
  }
}

// The gradient of fmod with broadcasting: g, and -g trunc(x / y), whose whole
// part is that of |x| / |y|. Differentiable again in out_grad.
inline void FmodGrad(Ops& ops, const Value& x, const Value& y,
                     const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) {
    const Value whole = op::floor_divide(ops, op::abs(ops, x), op::abs(ops, y));
    const Value sign = op::multiply(ops, op::sign(ops, x), op::sign(ops, y));
    const Value product =
        op::multiply(ops, out_grad, op::multiply(ops, whole, sign));
    *y_grad = op::neg(ops, ReduceTo(ops, product, y));
  }
}

// The gradient of -x. Differentiable again.
inline void NegGrad(Ops& ops, const Value& out_grad, Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::neg(ops, out_grad);
}

// Gives g to x by the share of x in an extreme, and to y by the rest of it.
// Both shares are halves where they are equal. Not an operator's composite
// itself.
inline void ShareGrad(Ops& ops, const Value& x, const Value& y,
                      const Value& out_grad, const Value& ahead,
                      const Value& not_behind, Value* x_grad, Value* y_grad) {
  const DataType dtype = ops.dtype(out_grad);
  const Value twice = op::add(ops, op::cast(ops, ahead, dtype),
                              op::cast(ops, not_behind, dtype));
  if (x_grad != nullptr) {
    const Value share = Times(ops, twice, 0.5);
    *x_grad = ReduceTo(ops, op::multiply(ops, out_grad, share), x);
  }
  if (y_grad != nullptr) {
    const Value share = Linear(ops, twice, -0.5, 1);
    *y_grad = ReduceTo(ops, op::multiply(ops, out_grad, share), y);
  }
}

// The gradient of the larger of x and y with broadcasting: to x where x > y,
// half to each where they are equal, to y elsewhere. Differentiable again in
// out_grad: the choice is piecewise constant.
inline void MaximumGrad(Ops& ops, const Value& x, const Value& y,
                        const Value& out_grad, Value* x_grad, Value* y_grad) {
  ShareGrad(ops, x, y, out_grad, op::less_than(ops, y, x),
            op::less_equal(ops, y, x), x_grad, y_grad);
}

// The gradient of the smaller of x and y with broadcasting, likewise.
inline void MinimumGrad(Ops& ops, const Value& x, const Value& y,
                        const Value& out_grad, Value* x_grad, Value* y_grad) {
  ShareGrad(ops, x, y, out_grad, op::less_than(ops, x, y),
            op::less_equal(ops, x, y), x_grad, y_grad);
}

// The gradient of |x|: g sign(x), of complex numbers g x / |x|, 0 where x is.
// Differentiable again (in out_grad for real numbers).
inline void AbsGrad(Ops& ops, const Value& x, const Value& out_grad,
                    Value* x_grad) {
  if (x_grad == nullptr) return;
  if (!IsComplex(ops.dtype(x))) {
    *x_grad = op::multiply(ops, out_grad, op::sign(ops, x));
    return;
  }
  const Value at_zero = op::equal(ops, x, FullLike(ops, x, 0));
  const Value one = FullLike(ops, x, 1);
  // |x| is 1 where x is 0, so that no gradient of it is NaN.
  const Value size = op::abs(ops, op::where(ops, at_zero, one, x));
  *x_grad = op::multiply(ops, out_grad, op::divide(ops, x, size));
}

// The gradient of 1 / x from its result: -g out^2, of complex numbers with its
// conjugate. Differentiable again.
inline void ReciprocalGrad(Ops& ops, const Value& out, const Value& out_grad,
                           Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value slope = Times(ops, op::square(ops, out), -1);
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, slope));
}

// The gradient of operators that are constant except at their steps (floor,
// ceil, round): zero.
inline void ZeroGrad(Ops& ops, const Value& out_grad, Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = FullLike(ops, out_grad, 0);
}

// The gradient of sign: zero; of complex numbers, whose sign is u = x / |x|,
// (g - u re(conj(u) g)) / |x|. Differentiable again.
inline void SignGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, out_grad, 0);
  *x_grad = zero;
  if (!ops.defined(x) || !IsComplex(ops.dtype(x))) return;
  const Value at_zero = op::equal(ops, x, FullLike(ops, x, 0));
  // |x| is 1 where x is 0, so that no gradient of it is NaN.
  const Value size =
      op::abs(ops, op::where(ops, at_zero, FullLike(ops, x, 1), x));
  const Value unit = op::divide(ops, x, size);
  const Value along =
      op::real(ops, op::multiply(ops, op::conj(ops, unit), out_grad));
  const Value across =
      op::subtract(ops, out_grad, op::multiply(ops, unit, along));
  *x_grad = op::where(ops, at_zero, zero, op::divide(ops, across, size));
}

// The gradient of scale * x + bias, wherever the bias goes in: scale * g, with
// the conjugate of a complex scale. Differentiable again.
inline void ScaleGrad(Ops& ops, const Value& out_grad,
                      AttrArg<const Scalar&> scale, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Scalar none(0.0);
  if (scale.known()) {
    *x_grad = op::scale(ops, out_grad, scale.value().Conjugate(), none, true);
  } else if (IsComplex(ops.dtype(out_grad))) {
    *x_grad = op::conj(
        ops, op::scale(ops, op::conj(ops, out_grad), scale, none, true));
  } else {
    *x_grad = op::scale(ops, out_grad, scale, none, true);
  }
}

// The gradient of x limited to [min, max]: g there, both ends included, as in
// Paddle; 0 elsewhere. Differentiable again in out_grad.
inline void ClipGrad(Ops& ops, const Value& x, const Value& out_grad,
                     AttrArg<const Scalar&> min, AttrArg<const Scalar&> max,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const DataType same = DataType::kUndefined;
  const auto bound = [&](AttrArg<const Scalar&> value) {
    return value.known() ? op::full_like(ops, x, value, same)
                         : op::full(ops, IntArray(), value, ops.dtype(x));
  };
  const Value inside = op::logical_and(ops, op::less_equal(ops, bound(min), x),
                                       op::less_equal(ops, x, bound(max)));
  *x_grad = op::where(ops, inside, out_grad, FullLike(ops, out_grad, 0));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ARITHMETIC_H_
