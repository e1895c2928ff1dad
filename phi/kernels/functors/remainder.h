// SPDX-License-Identifier: Apache-2.0
// x - y floor(x / y): the remainder with the sign of y. The vocabulary is
// explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_REMAINDER_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_REMAINDER_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_REMAINDER_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_REMAINDER_H_
#endif

#include <cmath>

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct Remainder : Functor<2> {
  using Functor<2>::Functor;

  static constexpr int kNonzero = 1;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    return LaneWise(d, Rest, x, y);
  }

 private:
  static T Rest(T x, T y) {
    T rest;
    if constexpr (std::is_floating_point_v<T>) {
      rest = std::fmod(x, y);
    } else {
      // 0: of a vector's rest, no element. -1: the least integer overflows.
      if (y == 0 || y == -1) return 0;
      rest = x % y;
    }
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }
};

SY_FUNCTORS_END

#endif  // per target
