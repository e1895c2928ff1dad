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
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// Ends the composite unless `value`, one of the list `argument`, may be of the
// dtype and shape of `first`. Not an operator's composite itself.
template <typename Ops, typename V>
void SameAsFirst(Ops& ops, const V& first, const V& value,
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
template <typename Ops, typename V = typename Ops::Value>
void Increment(Ops& ops, const V& x, const Scalar& value, V* out) {
  if (out == nullptr) return;
  const DataType dtype = ops.dtype(x);
  if (value.is_complex() && !IsComplex(dtype)) {
    return ops.Fail(TypeError("value", "real for " + std::string(Name(dtype)),
                              ToString(value)));
  }
  *out = ops.scale(x, Scalar(int64_t{1}), value, true);
}

// The sum of the list, from its first tensor on. Gradients are those of add.
template <typename Ops, typename V = typename Ops::Value>
void AddN(Ops& ops, const typename Ops::List& x, V* out) {
  if (out == nullptr) return;
  if (x.empty()) {
    return ops.Fail(ArgumentError("x", "at least one tensor", "none"));
  }
  // Several may be SelectedRows, which assign does not take.
  V sum = x.size() == 1 ? ops.assign(x[0]) : x[0];
  for (size_t i = 1; i < x.size(); ++i) {
    SameAsFirst(ops, x[0], x[i], "x");
    sum = ops.add(sum, x[i]);
  }
  *out = sum;
}

// The gradient of x + y with broadcasting. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AddGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
             V* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) *y_grad = ReduceTo(ops, out_grad, y);
}

// The gradient of x - y with broadcasting. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SubtractGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                  V* x_grad, V* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) {
    const V sum = ReduceTo(ops, out_grad, y);
    *y_grad = Times(ops, sum, -1);
  }
}

// The gradient of x * y with broadcasting: g y and g x, of complex numbers with
// the conjugates of y and x. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void MultiplyGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                  V* x_grad, V* y_grad) {
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, Conjugated(ops, y)), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, Conjugated(ops, x)), y);
  }
}

// The gradient of out = x / y with broadcasting: g / y, and -g (out / y), of
// complex numbers with the conjugates of y and out / y. Reads `out` for
// `y_grad` only. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void QuotientGrad(Ops& ops, const V& x, const V& y, const V& out,
                  const V& out_grad, V* x_grad, V* y_grad) {
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.divide(out_grad, Conjugated(ops, y)), x);
  }
  if (y_grad != nullptr) {
    // g / y may be infinite where out / y is 0.
    const V slope = Conjugated(ops, ops.divide(out, y));
    const V sum = ReduceTo(ops, ops.multiply(out_grad, slope), y);
    *y_grad = Times(ops, sum, -1);
  }
}

// The gradient of x / y from its inputs alone. The quotient is computed again:
// what is written over it in place harms no gradient, and its memory is free.
template <typename Ops, typename V = typename Ops::Value>
void DivideGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
                V* y_grad) {
  const V out = y_grad == nullptr ? x : ops.divide(x, y);
  QuotientGrad(ops, x, y, out, out_grad, x_grad, y_grad);
}

// The gradient of the remainder of x by y with broadcasting: g, and -g floor(x
// / y). Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void RemainderGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                   V* x_grad, V* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) {
    const V product = ops.multiply(out_grad, ops.floor_divide(x, y));
    const V sum = ReduceTo(ops, product, y);
    *y_grad = Times(ops, sum, -1);
  }
}

// The gradient of fmod with broadcasting: g, and -g trunc(x / y), whose whole
// part is that of |x| / |y|. Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void FmodGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
              V* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) {
    const V whole = ops.floor_divide(ops.abs(x), ops.abs(y));
    const V sign = ops.multiply(ops.sign(x), ops.sign(y));
    const V product = ops.multiply(out_grad, ops.multiply(whole, sign));
    *y_grad = ops.neg(ReduceTo(ops, product, y));
  }
}

// The gradient of -x. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void NegGrad(Ops& ops, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.neg(out_grad);
}

// Gives g to x by the share of x in an extreme, and to y by the rest of it.
// Both shares are halves where they are equal. Not an operator's composite
// itself.
template <typename Ops, typename V>
void ShareGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
               const V& ahead, const V& not_behind, V* x_grad, V* y_grad) {
  const DataType dtype = ops.dtype(out_grad);
  const V twice = ops.add(ops.cast(ahead, dtype), ops.cast(not_behind, dtype));
  if (x_grad != nullptr) {
    const V share = Times(ops, twice, 0.5);
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, share), x);
  }
  if (y_grad != nullptr) {
    const V share = Linear(ops, twice, -0.5, 1);
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, share), y);
  }
}

// The gradient of the larger of x and y with broadcasting: to x where x > y,
// half to each where they are equal, to y elsewhere. Differentiable again in
// out_grad: the choice is piecewise constant.
template <typename Ops, typename V = typename Ops::Value>
void MaximumGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
                 V* y_grad) {
  ShareGrad(ops, x, y, out_grad, ops.less_than(y, x), ops.less_equal(y, x),
            x_grad, y_grad);
}

// The gradient of the smaller of x and y with broadcasting, likewise.
template <typename Ops, typename V = typename Ops::Value>
void MinimumGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
                 V* y_grad) {
  ShareGrad(ops, x, y, out_grad, ops.less_than(x, y), ops.less_equal(x, y),
            x_grad, y_grad);
}

// The gradient of |x|: g sign(x), of complex numbers g x / |x|, 0 where x is.
// Differentiable again (in out_grad for real numbers).
template <typename Ops, typename V = typename Ops::Value>
void AbsGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  if (!IsComplex(ops.dtype(x))) {
    *x_grad = ops.multiply(out_grad, ops.sign(x));
    return;
  }
  const V at_zero = ops.equal(x, FullLike(ops, x, 0));
  const V one = FullLike(ops, x, 1);
  // |x| is 1 where x is 0, so that no gradient of it is NaN.
  const V size = ops.abs(ops.where(at_zero, one, x));
  *x_grad = ops.multiply(out_grad, ops.divide(x, size));
}

// The gradient of 1 / x from its result: -g out^2, of complex numbers with its
// conjugate. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ReciprocalGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V slope = Times(ops, ops.square(out), -1);
  *x_grad = ops.multiply(out_grad, Conjugated(ops, slope));
}

// The gradient of operators that are constant except at their steps (floor,
// ceil, round, sign): zero.
template <typename Ops, typename V = typename Ops::Value>
void ZeroGrad(Ops& ops, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = FullLike(ops, out_grad, 0);
}

// The gradient of scale * x + bias, wherever the bias goes in: scale * g, with
// the conjugate of a complex scale. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ScaleGrad(Ops& ops, const V& out_grad, AttrArg<const Scalar&> scale,
               V* x_grad) {
  if (x_grad == nullptr) return;
  const Scalar none(0.0);
  if (scale.known()) {
    *x_grad = ops.scale(out_grad, scale.value().Conjugate(), none, true);
  } else if (IsComplex(ops.dtype(out_grad))) {
    *x_grad = ops.conj(ops.scale(ops.conj(out_grad), scale, none, true));
  } else {
    *x_grad = ops.scale(out_grad, scale, none, true);
  }
}

// The gradient of x limited to [min, max]: g there, both ends included, as in
// Paddle; 0 elsewhere. Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void ClipGrad(Ops& ops, const V& x, const V& out_grad,
              AttrArg<const Scalar&> min, AttrArg<const Scalar&> max,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const DataType same = DataType::kUndefined;
  const auto bound = [&](AttrArg<const Scalar&> value) {
    return value.known() ? ops.full_like(x, value, same)
                         : ops.full(IntArray(), value, ops.dtype(x));
  };
  const V inside = ops.logical_and(ops.less_equal(bound(min), x),
                                   ops.less_equal(x, bound(max)));
  *x_grad = ops.where(inside, out_grad, FullLike(ops, out_grad, 0));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ARITHMETIC_H_
