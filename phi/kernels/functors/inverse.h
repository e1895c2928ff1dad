// SPDX-License-Identifier: Apache-2.0
// Inverses of the trigonometric and hyperbolic functions: Highway's, in double,
// so that floats are within 1 unit in the last place, mended where Highway does
// not say what comes out. The arc tangent of a quotient goes lane by lane
// through C's library, as do complex numbers. The vocabulary is explained in
// value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_INVERSE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_INVERSE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_INVERSE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_INVERSE_H_
#endif

#include <cmath>
#include <complex>
#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// Serves vectors of double.
struct ArcCosine {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return hwy::HWY_NAMESPACE::Acos(d, x);
  }
};

// Highway's functions, as types that templates take.
struct ArcSine {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return hwy::HWY_NAMESPACE::Asin(d, x);
  }
};

// Does what ArcSine does, of the arc tangent.
struct ArcTangent {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return hwy::HWY_NAMESPACE::Atan(d, x);
  }
};

// Highway's holds from 1 to the largest number.
struct HyperbolicArcCosine {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    const V none = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const V acosh = hn::IfThenElse(hn::Eq(x, infinity), x, hn::Acosh(d, x));
    return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0)), none, acosh);
  }
};

// Highway's holds for finite numbers; the others are their own results.
struct HyperbolicArcSine {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    return hn::IfThenElse(hn::Lt(hn::Abs(x), infinity), hn::Asinh(d, x), x);
  }
};

// Highway's holds between -1 and 1, where it is infinite.
struct HyperbolicArcTangent {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const V one = hn::Set(d, 1.0);
    const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    const V none = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const V magnitude = hn::Abs(x);
    const V outside =
        hn::IfThenElse(hn::Eq(magnitude, one), hn::CopySign(infinity, x), none);
    return hn::IfThenElse(hn::Lt(magnitude, one), hn::Atanh(d, x), outside);
  }
};

// The angle from 0 to pi whose cosine is x.
template <typename T>
struct Acos : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::acos(std::complex<double>(x)));
    } else {
      return ThroughDouble(d, ArcCosine(), x);
    }
  }
};

// The angle from -pi/2 to pi/2 whose sine is x.
template <typename T>
struct Asin : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::asin(std::complex<double>(x)));
    } else {
      return ThroughDouble(d, ArcSine(), x);
    }
  }
};

// The angle from -pi/2 to pi/2 whose tangent is x.
template <typename T>
struct Atan : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::atan(std::complex<double>(x)));
    } else {
      return ThroughDouble(d, ArcTangent(), x);
    }
  }
};

// The number from 0 whose hyperbolic cosine is x.
template <typename T>
struct Acosh : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::acosh(std::complex<double>(x)));
    } else {
      return ThroughDouble(d, HyperbolicArcCosine(), x);
    }
  }
};

// The number whose hyperbolic sine is x.
template <typename T>
struct Asinh : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::asinh(std::complex<double>(x)));
    } else {
      return ThroughDouble(d, HyperbolicArcSine(), x);
    }
  }
};

// The number whose hyperbolic tangent is x.
template <typename T>
struct Atanh : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::atanh(std::complex<double>(x)));
    } else {
      return ThroughDouble(d, HyperbolicArcTangent(), x);
    }
  }
};

// The angle from -pi to pi of the point (y, x).
template <typename T>
struct Atan2 : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    return LaneWise(
        d, [](double a, double b) { return static_cast<T>(std::atan2(a, b)); },
        x, y);
  }
};

SY_FUNCTORS_END

#endif  // per target
