// SPDX-License-Identifier: Apache-2.0
// e^x - 1 and the activations made of it. The vocabulary is explained in
// value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPM1_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPM1_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPM1_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPM1_H_
#endif

#include <cmath>
#include <complex>

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// e^x - 1, accurate for small x too.
template <class D, class V>
SY_FUNCTOR V ExponentialMinusOne(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  // From here on the 1 is lost in rounding, and -1 is all that is left below
  // the lower bound.
  const V high = hn::Set(d, T(40));
  const V clamped = hn::Min(hn::Max(x, hn::Set(d, T(-80))), high);
  V n;
  const V reduced = ReducedExpm1(d, clamped, &n);
  const V power = PowerOfTwo(d, n);
  V result = hn::MulAdd(power, reduced, hn::Sub(power, hn::Set(d, T(1))));
  const auto large = hn::Gt(x, high);
  if (HWY_UNLIKELY(!hn::AllFalse(d, large))) {
    result = hn::IfThenElse(large, Exponential(d, x), result);
  }
  // The sum loses the sign of zero.
  const auto itself = hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Zero(d)));
  return hn::IfThenElse(itself, x, result);
}

// e^x - 1 of a complex number. Near 0 the real part is written without the
// difference of e^a cos(b) and 1. A template, as are its users: a GPU has no
// std::complex.
template <class Wide>
SY_FUNCTOR Wide ComplexExpm1(Wide x) {
  const Wide exp = std::exp(x);
  if (!(std::abs(x.real()) < 1)) return exp - 1.0;
  const double expm1 = std::expm1(x.real());
  const double sine = std::sin(x.imag() / 2);
  return {expm1 * std::cos(x.imag()) - 2 * sine * sine, exp.imag()};
}

// e^x - 1.
template <typename T>
struct Expm1 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(ComplexExpm1(std::complex<double>(x)));
    } else {
      return ExponentialMinusOne(d, x);
    }
  }
};

// x where x > 0, else alpha (e^x - 1).
template <typename T>
class Elu : public Functor<1> {
 public:
  explicit Elu(double alpha) : alpha_(static_cast<T>(alpha)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V below = Set(d, alpha_) * ExponentialMinusOne(d, x);
    return IfThenElse(AtMost(x, Zero(d)), below, x);
  }

 private:
  T alpha_;
};

// x where x > 0, else alpha (e^(x / alpha) - 1).
template <typename T>
class Celu : public Functor<1> {
 public:
  explicit Celu(double alpha) : alpha_(static_cast<T>(alpha)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V alpha = Set(d, alpha_);
    const V below = alpha * ExponentialMinusOne(d, x / alpha);
    return IfThenElse(AtMost(x, Zero(d)), below, x);
  }

 private:
  T alpha_;
};

// scale x where x > 0, else scale alpha (e^x - 1).
template <typename T>
class Selu : public Functor<1> {
 public:
  Selu(double scale, double alpha)
      : scale_(static_cast<T>(scale)),
        product_(static_cast<T>(scale * alpha)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V below = Set(d, product_) * ExponentialMinusOne(d, x);
    return IfThenElse(AtMost(x, Zero(d)), below, Set(d, scale_) * x);
  }

 private:
  T scale_;
  T product_;
};

SY_FUNCTORS_END

#endif  // per target
