// SPDX-License-Identifier: Apache-2.0
// The larger or the smaller of x and y, NaN if one of them is. The vocabulary
// is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_EXTREME_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T, bool largest>
struct Extreme : Functor<2> {
  using Functor<2>::Functor;

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

SY_FUNCTORS_END

#endif  // per target
