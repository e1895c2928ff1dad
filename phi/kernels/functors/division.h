// SPDX-License-Identifier: Apache-2.0
// Division with a remainder. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_DIVISION_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_DIVISION_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_DIVISION_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_DIVISION_H_
#endif

#include <cmath>
#include <type_traits>

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The greatest integer that is not above x / y. Floating numbers as Python has
// them: (x - x mod y) / y, rounded.
template <typename T>
struct FloorDivide : Functor<2> {
  static constexpr int kNonzero = 1;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    return LaneWise(d, Quotient, x, y);
  }

 private:
  static SY_FUNCTOR T Quotient(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (y == 0) return x / y;
      const T rest = std::fmod(x, y);
      T quotient = (x - rest) / y;
      if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
      if (quotient == 0) return std::copysign(T(0), x / y);
      const T whole = std::floor(quotient);
      return quotient - whole > T(0.5) ? whole + 1 : whole;
    } else {
      if (y == 0) return 0;  // Of a vector's rest: no element.
      if constexpr (std::is_unsigned_v<T>) return x / y;
      if (y == T(-1)) return static_cast<T>(0 - std::make_unsigned_t<T>(x));
      const T quotient = x / y;
      return x % y != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;
    }
  }
};

// x - y floor(x / y): the remainder with the sign of y, of zeros too.
template <typename T>
struct Remainder : Functor<2> {
  static constexpr int kNonzero = 1;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    return LaneWise(d, Rest, x, y);
  }

 private:
  static SY_FUNCTOR T Rest(T x, T y) {
    T rest;
    if constexpr (std::is_floating_point_v<T>) {
      rest = std::fmod(x, y);
    } else if constexpr (std::is_unsigned_v<T>) {
      return y == 0 ? 0 : x % y;
    } else {
      // 0: of a vector's rest, no element. -1: the least integer overflows.
      if (y == 0 || y == -1) return 0;
      rest = x % y;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (rest == 0) return std::copysign(T(0), y);
    }
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }
};

// x - y trunc(x / y): the remainder with the sign of x.
template <typename T>
struct Fmod : Functor<2> {
  static constexpr int kNonzero = 1;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    return LaneWise(d, Rest, x, y);
  }

 private:
  static SY_FUNCTOR T Rest(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(x, y);
    } else if constexpr (std::is_unsigned_v<T>) {
      return y == 0 ? 0 : x % y;
    } else {
      // 0: of a vector's rest, no element. -1: the least integer overflows.
      return y == 0 || y == -1 ? 0 : x % y;
    }
  }
};

SY_FUNCTORS_END

#endif  // per target
