// SPDX-License-Identifier: Apache-2.0
// Signs, magnitudes and bounds. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_MAGNITUDE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_MAGNITUDE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_MAGNITUDE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_MAGNITUDE_H_
#endif

#include <cmath>

#include "framework/types/scalar.h"
#include "phi/kernels/functors/complex.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The larger or the smaller of x and y, NaN if one of them is.
template <typename T, bool largest>
struct Extreme : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x, V y) const {
    const V chosen = IfThenElse(largest ? Lt(x, y) : Lt(y, x), y, x);
    if constexpr (std::is_floating_point_v<T>) {
      return IfThenElse(IsNaN(y), y, chosen);
    } else {
      return chosen;
    }
  }
};

// |x|; the least integer stays itself. Of a complex number the distance from 0,
// a real number.
template <typename T>
struct AbsoluteValue : Functor<1> {
  static constexpr bool kOtherDtype = true;
  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x) const {
    if constexpr (kIsComplex<T>) {
      (void)d;
      return std::hypot(x.real(), x.imag());
    } else if constexpr (std::is_floating_point_v<T>) {
      return Abs(x);
    } else if constexpr (std::is_unsigned_v<T>) {
      return x;
    } else {
      return IfThenElse(Lt(x, Zero(d)), Zero(d) - x, x);
    }
  }
};

// -1, 0 or 1; NaN where x is. Of a complex number x / |x|.
template <typename T>
struct Sign : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(ComplexUnit(std::complex<double>(x)));
    } else if constexpr (std::is_unsigned_v<T>) {
      return IfThenElse(Gt(x, Zero(d)), Set(d, T(1)), x);
    } else {
      // Zeros and NaN stay what they are.
      const V one = Set(d, T(1));
      return IfThenElse(Gt(x, Zero(d)), one,
                        IfThenElse(Lt(x, Zero(d)), Neg(one), x));
    }
  }
};

// The larger of x and y.
template <typename T>
using Maximum = Extreme<T, /*largest=*/true>;

// The smaller of x and y.
template <typename T>
using Minimum = Extreme<T, /*largest=*/false>;

// x limited to [min, max]; NaN stays NaN.
template <typename T>
class Clip : public Functor<1> {
 public:
  Clip(const Scalar& min, const Scalar& max)
      : min_(LimitOf(min)), max_(LimitOf(max)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V min = Set(d, min_);
    const V max = Set(d, max_);
    return IfThenElse(Lt(x, min), min, IfThenElse(Gt(x, max), max, x));
  }

 private:
  // A negative integer is below all unsigned ones.
  static T LimitOf(const Scalar& limit) {
    const bool below = std::is_unsigned_v<T> && limit.ToDouble() < 0;
    return below ? T(0) : limit.to<T>();
  }

  T min_;
  T max_;
};

SY_FUNCTORS_END

#endif  // per target
