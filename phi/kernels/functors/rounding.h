// SPDX-License-Identifier: Apache-2.0
// Rounding to integers. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_ROUNDING_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_ROUNDING_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_ROUNDING_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_ROUNDING_H_
#endif

#include <cmath>
#include <limits>

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The greatest integer that is not above x.
template <typename T>
struct Floor : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x) const {
    return RoundDown(x);
  }
};

// The least integer that is not below x.
template <typename T>
struct Ceil : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x) const {
    return RoundUp(x);
  }
};

// x rounded toward 0.
template <typename T>
struct Trunc : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return CopySign(RoundDown(Abs(x)), x);
    } else {
      return x;
    }
  }
};

// x rounded to `decimals` decimal places, halves away from 0; x itself where
// the scaled number leaves the range.
template <typename T>
class Round : public Functor<1> {
 public:
  explicit Round(int decimals)
      : decimals_(decimals),
        factor_(static_cast<T>(std::pow(10.0, std::fabs(decimals_)))) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if (decimals_ == 0) return ToInteger(d, x);
    const V factor = Set(d, factor_);
    // The factor is a power of ten that is exact, whatever the sign of
    // `decimals`.
    if (decimals_ > 0) {
      const V scaled = x * factor;
      const V infinity = Set(d, std::numeric_limits<T>::infinity());
      return IfThenElse(Lt(Abs(scaled), infinity),
                        ToInteger(d, scaled) / factor, x);
    }
    const V whole = ToInteger(d, x / factor);
    // The factor may be infinite, and 0 times that is NaN.
    return IfThenElse(whole == Zero(d), whole, whole * factor);
  }

 private:
  // Exact: what is after the point has no bit that x lacks.
  template <class D, class V>
  SY_FUNCTOR V ToInteger(D d, V x) const {
    const V magnitude = Abs(x);
    const V whole = RoundDown(magnitude);
    const V up = AtLeastHalf(d, magnitude - whole);
    return CopySign(whole + up, x);
  }
  template <class D, class V>
  SY_FUNCTOR V AtLeastHalf(D d, V rest) const {
    return IfThenElseZero(AtMost(Set(d, T(0.5)), rest), Set(d, T(1)));
  }

  int decimals_;
  T factor_;
};

SY_FUNCTORS_END

#endif  // per target
