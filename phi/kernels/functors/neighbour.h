// SPDX-License-Identifier: Apache-2.0
// The neighbours of numbers among those of their dtype, one number at a time.
// The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_NEIGHBOUR_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_NEIGHBOUR_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_NEIGHBOUR_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_NEIGHBOUR_H_
#endif

#include <cmath>

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The number next to x in the direction of y.
template <typename T>
struct Nextafter : Functor<2> {
  static constexpr bool kOneByOne = true;
  SY_FUNCTOR T operator()(OneNumber, T x, T y) const {
    return std::nextafter(x, y);
  }
};

SY_FUNCTORS_END

#endif  // per target
