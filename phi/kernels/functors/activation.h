// SPDX-License-Identifier: Apache-2.0
// Activations that are lines, in pieces. The vocabulary is explained in
// value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_ACTIVATION_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_ACTIVATION_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_ACTIVATION_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_ACTIVATION_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// relu(x) = x where x > 0, NaN where x is NaN, else 0.
//
template <typename T>
struct Relu : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    // Not Max: it would turn a NaN into 0.
    const V zero = Zero(d);
    return IfThenElse(Le(x, zero), zero, x);
  }
};

// The gradient of relu: out_grad where out > 0, else 0.
//
template <typename T>
struct ReluGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V out, V out_grad) const {
    return IfThenElse(Gt(out, Zero(d)), out_grad, Zero(d));
  }
};

// min(max(x, 0), 6); NaN stays NaN.
template <typename T>
struct Relu6 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V zero = Zero(d);
    const V six = Set(d, T(6));
    return IfThenElse(Lt(x, zero), zero, IfThenElse(Gt(x, six), six, x));
  }
};

// x where x > 0, else x times a slope.
template <typename T>
class LeakyRelu : public Functor<1> {
 public:
  explicit LeakyRelu(double negative_slope)
      : slope_(static_cast<T>(negative_slope)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return IfThenElse(Gt(x, Zero(d)), x, Set(d, slope_) * x);
  }

 private:
  T slope_;
};

// x min(max(x + 3, 0), 6) / 6; 0 below -3 and x above 3, infinities too.
template <typename T>
struct Hardswish : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V zero = Zero(d);
    const V three = Set(d, T(3));
    const V inner = x * (x + three) / Set(d, T(6));
    const V low = IfThenElse(AtMost(x, Neg(three)), zero, inner);
    return IfThenElse(AtMost(three, x), x, low);
  }
};

// slope x + offset, limited to [0, 1]; NaN stays NaN.
template <typename T>
class Hardsigmoid : public Functor<1> {
 public:
  Hardsigmoid(double slope, double offset)
      : slope_(static_cast<T>(slope)),
        slope_rest_(static_cast<T>(slope - static_cast<double>(slope_))),
        offset_(static_cast<T>(offset)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V zero = Zero(d);
    const V one = Set(d, T(1));
    // Near 0 the product and the offset cancel: what the slope loses as a T
    // counts there. Limited, since infinities would cancel too.
    const V far = Set(d, T(1e30f));
    const V z = IfThenElse(Lt(Abs(x), far), x, CopySign(far, x));
    const V rounded = MulAdd(Set(d, slope_), z, Set(d, offset_));
    const V exact = MulAdd(Set(d, slope_rest_), z, rounded);
    const V line = IfThenElse(IsNaN(x), x, exact);
    return IfThenElse(Lt(line, zero), zero,
                      IfThenElse(Gt(line, one), one, line));
  }

 private:
  T slope_;
  T slope_rest_;
  T offset_;
};

SY_FUNCTORS_END

#endif  // per target
