// SPDX-License-Identifier: Apache-2.0
// x to the power y of two numbers, for functors: elementwise_pow and pow.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_
#endif

#include <cmath>

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// Integers wrap around; a negative power of one is 1 / x^-y rounded to nearest
// even: 0 but for x = 1 and x = -1 (0 to a negative power gives 0).
template <typename T>
SY_FUNCTOR T PowerOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(x, y);
  } else {
    using U = std::make_unsigned_t<T>;
    if (y < 0 && x != 1 && x != -1) return 0;
    U power = 1;
    U square = static_cast<U>(x);
    for (U rest = y < 0 ? U(0) - static_cast<U>(y) : static_cast<U>(y);
         rest != 0; rest >>= 1) {
      if (rest & 1) power *= square;
      square *= square;
    }
    return static_cast<T>(power);
  }
}

SY_FUNCTORS_END

#endif  // per target
