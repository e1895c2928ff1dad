// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and tangent; of complex numbers C's, in double. The vocabulary
// is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_TRIGONOMETRIC_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_TRIGONOMETRIC_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_TRIGONOMETRIC_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_TRIGONOMETRIC_H_
#endif

#include <cmath>
#include <complex>

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// Sine and cosine of float and double vectors, computed in double: floats are
// within 1 unit in the last place. The rest of the vocabulary is in value.h.
//
// x = n pi/2 + r with |r| <= pi/4; pi/2 is the sum of three numbers, of which n
// times the first two is exact for n below 2^20 (W. Cody and W. Waite,
// "Software Manual for the Elementary Functions", 1980). Lanes beyond go
// through C's library, which reduces by as many digits of pi as it takes.
inline constexpr double kMaxQuarters = 0x1p20;

// sin(x + shift pi/2) for shift 0 or 1 and |x| pi/2 below kMaxQuarters.
template <class D, class V>
SY_FUNCTOR V ShiftedSine(D d, V x, double shift) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 0x1.45f306dc9c883p-1)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0x1.921fb54400000p+0), x);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.0b4611a600000p-34), r);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.3198a2e037073p-69), r);
  const V z = hn::Mul(r, r);
  // Taylor's series: the next terms are below 2^-60.
  const V sine =
      hn::MulAdd(hn::Mul(r, z),
                 Horner(d, z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
                        -1.0 / 39916800, 1.0 / 6227020800.0,
                        -1.0 / 1307674368000.0, 1.0 / 355687428096000.0),
                 r);
  const V cosine =
      Horner(d, z, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320,
             -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200.0,
             1.0 / 20922789888000.0, -1.0 / 6402373705728000.0);
  // The quadrant, 0 to 3: its odd bit chooses, its upper one negates.
  const V turns = hn::Add(n, hn::Set(d, shift));
  const V quarter = hn::Set(d, 0.25);
  const V quadrant =
      hn::NegMulAdd(hn::Floor(hn::Mul(turns, quarter)), hn::Set(d, 4.0), turns);
  const V two = hn::Set(d, 2.0);
  const auto negative = hn::Ge(quadrant, two);
  const V within = hn::Sub(quadrant, hn::IfThenElseZero(negative, two));
  const V value = hn::IfThenElse(hn::Eq(within, hn::Zero(d)), sine, cosine);
  return hn::IfThenElse(negative, hn::Neg(value), value);
}

// ShiftedSine, and the quotient of sine and cosine, of double vectors.
struct ShiftedSineOf {
  double shift;
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return ShiftedSine(d, x, shift);
  }
};
// Divides the sine by the cosine, both near the origin of one period.
struct TangentOf {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return hwy::HWY_NAMESPACE::Div(ShiftedSine(d, x, 0), ShiftedSine(d, x, 1));
  }
};

template <class D, class V, typename T>
SY_FUNCTOR V Trigonometric(D d, V x, double shift, T (*library)(T)) {
  namespace hn = hwy::HWY_NAMESPACE;
  const auto far = hn::Gt(hn::Abs(x), hn::Set(d, T(kMaxQuarters)));
  const V near = ThroughDouble(d, ShiftedSineOf{shift}, x);
  if (HWY_LIKELY(hn::AllFalse(d, far))) return near;
  return hn::IfThenElse(far, LaneWise(d, library, x), near);
}

template <class D, class V>
SY_FUNCTOR V Sine(D d, V x) {
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  // sin(-0) is -0, which the series loses.
  const V sine = Trigonometric(d, x, 0, static_cast<T (*)(T)>(std::sin));
  return hwy::HWY_NAMESPACE::IfThenElse(
      hwy::HWY_NAMESPACE::Eq(x, hwy::HWY_NAMESPACE::Zero(d)), x, sine);
}

template <class D, class V>
SY_FUNCTOR V Cosine(D d, V x) {
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  return Trigonometric(d, x, 1, static_cast<T (*)(T)>(std::cos));
}

template <class D, class V>
SY_FUNCTOR V Tangent(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  const auto far = hn::Gt(hn::Abs(x), hn::Set(d, T(kMaxQuarters)));
  V tangent = ThroughDouble(d, TangentOf(), x);
  if (HWY_UNLIKELY(!hn::AllFalse(d, far))) {
    const auto library = static_cast<T (*)(T)>(std::tan);
    tangent = hn::IfThenElse(far, LaneWise(d, library, x), tangent);
  }
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, tangent);
}

// The sine of x.
template <typename T>
struct Sin : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::sin(std::complex<double>(x)));
    } else {
      return Sine(d, x);
    }
  }
};

// The cosine of x.
template <typename T>
struct Cos : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::cos(std::complex<double>(x)));
    } else {
      return Cosine(d, x);
    }
  }
};

// The tangent of x.
template <typename T>
struct Tan : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::tan(std::complex<double>(x)));
    } else {
      return Tangent(d, x);
    }
  }
};

SY_FUNCTORS_END

#endif  // per target
