// SPDX-License-Identifier: Apache-2.0
// Extremes that pass over NaN, signs, steps and blends of numbers. The
// vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_
#endif

#include <type_traits>

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The larger or the smaller of x and y; the other one where one is NaN.
template <typename T, bool largest>
struct NumberExtreme : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x, V y) const {
    const V chosen = IfThenElse(largest ? Lt(x, y) : Lt(y, x), y, x);
    if constexpr (std::is_floating_point_v<T>) {
      return IfThenElse(IsNaN(x), y, chosen);
    } else {
      return chosen;
    }
  }
};

// The larger of x and y that is a number.
template <typename T>
using Fmax = NumberExtreme<T, /*largest=*/true>;

// The smaller of x and y that is a number.
template <typename T>
using Fmin = NumberExtreme<T, /*largest=*/false>;

// |x| with the sign of y.
template <typename T>
struct Copysign : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x, V y) const {
    return CopySign(x, y);
  }
};

// 0 where x is below 0, 1 above, y at 0; NaN where x is.
template <typename T>
struct Heaviside : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    const V zero = Zero(d);
    const V above = IfThenElse(Gt(x, zero), Set(d, T(1)), x);
    return IfThenElse(x == zero, y, IfThenElse(Lt(x, zero), zero, above));
  }
};

// x + weight (y - x), counted from the nearer end, so that both ends are exact.
template <typename T>
struct Lerp : Functor<3> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y, V weight) const {
    const V one = Set(d, T(1));
    const V way = y - x;
    const V inner = IfThenElse(Lt(weight, Set(d, T(0.5))), x + weight * way,
                               y - (one - weight) * way);
    // At an end the other one may be infinite, or their difference.
    const V start = IfThenElse(weight == Zero(d), x, inner);
    return IfThenElse(weight == one, y, start);
  }
};

SY_FUNCTORS_END

#endif  // per target
