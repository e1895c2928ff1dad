// SPDX-License-Identifier: Apache-2.0
// Comparisons. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPARISON_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPARISON_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPARISON_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPARISON_H_
#endif

#include <limits>
#include <type_traits>

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// x == y, as a mask.
template <typename T>
struct Equal : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    return x == y;
  }
};

// x != y, as a mask.
template <typename T>
struct NotEqual : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    if constexpr (kIsComplex<V>) {
      return x != y;
    } else {
      return Not(x == y);
    }
  }
};

// x < y, as a mask.
template <typename T>
struct LessThan : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    return x < y;
  }
};

// x <= y, as a mask.
template <typename T>
struct LessEqual : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    return AtMost(x, y);
  }
};

// x > y, as a mask.
template <typename T>
struct GreaterThan : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    return x > y;
  }
};

// x >= y, as a mask.
template <typename T>
struct GreaterEqual : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    return AtMost(y, x);
  }
};

// True where x is not a number, as a mask.
template <typename T>
struct IsNan : Functor<1, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x) const {
    return Not(x == x);
  }
};

// True where x is neither infinite nor NaN, as a mask.
template <typename T>
struct IsFinite : Functor<1, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x) const {
    // Only of finite numbers the difference is 0.
    return (x - x) == Zero(d);
  }
};

// True where x is infinite, as a mask.
template <typename T>
struct IsInf : Functor<1, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return Abs(x) == Set(d, std::numeric_limits<T>::infinity());
    } else {
      return Not(x == x);
    }
  }
};

SY_FUNCTORS_END

#endif  // per target
