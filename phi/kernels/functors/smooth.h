// SPDX-License-Identifier: Apache-2.0
// Activations that have a derivative everywhere. The vocabulary is explained in
// value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SMOOTH_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SMOOTH_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SMOOTH_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SMOOTH_H_
#endif

#include <cmath>
#include <complex>

#include "phi/kernels/functors/complex.h"
#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/logarithm.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// x / (1 + |x|).
template <typename T>
struct Softsign : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      const std::complex<double> wide(x);
      const double size = std::hypot(wide.real(), wide.imag());
      return static_cast<V>(size < 1e30 ? wide / (1 + size)
                                        : ComplexUnit(wide));
    } else {
      // Infinity divided by itself is NaN; the quotient is 1 long before.
      const V most = Set(d, T(1e30f));
      const V z = Max(Min(x, most), Neg(most));
      return IfThenElse(IsNaN(x), x, z / (Set(d, T(1)) + Abs(z)));
    }
  }
};

// x / (1 + exp(-x)).
template <typename T>
struct Swish : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    // -infinity times 0 is NaN; from here on the product is 0 anyway.
    return Max(x, Set(d, T(-1e4))) * Logistic(d, x);
  }
};

// log(1 / (1 + exp(-x))) of a complex number, its imaginary part in
// [-pi, pi]. A template, as are its users: a GPU has no std::complex.
template <class Wide>
SY_FUNCTOR Wide ComplexLogLogistic(Wide x) {
  if (x.real() >= 0) return -ComplexLog1p(Wide(std::exp(-x)));
  const Wide value = x - ComplexLog1p(Wide(std::exp(x)));
  return {value.real(), std::remainder(value.imag(), 2 * M_PI)};
}

// log(1 / (1 + exp(-x))).
template <typename T>
struct LogSigmoid : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(ComplexLogLogistic(std::complex<double>(x)));
    } else {
      // min(x, 0) - log(1 + exp(-|x|)): no overflow, and no cancellation.
      const V rest = LogarithmOfOnePlus(d, Exponential(d, Neg(Abs(x))));
      return IfThenElse(Lt(x, Zero(d)), x, Zero(d)) - rest;
    }
  }
};

// x tanh(log(1 + e^x)) in double, where e^x is a normal number wherever a float
// result is.
struct MishOf {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    // tanh(log(1 + e)) = (e^2 + 2 e) / (e^2 + 2 e + 2), which is 1 for x = 20.
    const V twenty = Set(d, 20.0);
    const V e = Exponential(d, IfThenElse(Gt(x, twenty), twenty, x));
    const V sum = e * (e + Set(d, 2.0));
    // -infinity times 0 is NaN; from here on the product is 0 anyway.
    return Max(x, Set(d, -1e4)) * (sum / (sum + Set(d, 2.0)));
  }
};

// x tanh(log(1 + e^x)); x tanh(x) where x is above a threshold.
template <typename T>
class Mish : public Functor<1> {
 public:
  explicit Mish(double threshold) : threshold_(static_cast<T>(threshold)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V smooth = ThroughDouble(d, MishOf(), x);
    if (threshold_ >= T(20)) return smooth;
    const V above = x * HyperbolicTangent(d, x);
    return IfThenElse(Gt(x, Set(d, threshold_)), above, smooth);
  }

 private:
  T threshold_;
};

// x - tanh(x) in double.
struct TanhShrinkOf {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    // Near 0 as (x cosh(x) - sinh(x)) / cosh(x), by Taylor's series of both,
    // whose terms have one sign.
    const V z = x * x;
    const V difference =
        Horner(d, z, 1.0 / 3, 1.0 / 30, 1.0 / 840, 1.0 / 45360, 1.0 / 3991680,
               1.0 / 518918400, 1.0 / 93405312000, 1.0 / 22230464256000);
    const V cosine = Horner(d, z, 1.0, 1.0 / 2, 1.0 / 24, 1.0 / 720,
                            1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600,
                            1.0 / 87178291200, 1.0 / 20922789888000);
    const V near = x * z * difference / cosine;
    const V far = x - HyperbolicTangent(d, x);
    return IfThenElse(Lt(Abs(x), Set(d, 1.0)), near, far);
  }
};

// x - tanh(x).
template <typename T>
struct TanhShrink : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return ThroughDouble(d, TanhShrinkOf(), x);
  }
};

// b tanh(a x) with the scales a and b.
template <typename T>
class Stanh : public Functor<1> {
 public:
  Stanh(double scale_a, double scale_b)
      : a_(static_cast<T>(scale_a)), b_(static_cast<T>(scale_b)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return b_ * static_cast<V>(std::tanh(std::complex<double>(a_ * x)));
    } else {
      return Set(d, b_) * HyperbolicTangent(d, Set(d, a_) * x);
    }
  }

 private:
  T a_;
  T b_;
};

SY_FUNCTORS_END

#endif  // per target
