// SPDX-License-Identifier: Apache-2.0
// |x|; the least integer stays itself. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_ABSOLUTE_VALUE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_ABSOLUTE_VALUE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_ABSOLUTE_VALUE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_ABSOLUTE_VALUE_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct AbsoluteValue : Functor<1> {
  using Functor<1>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return Abs(x);
    } else {
      return IfThenElse(Lt(x, Zero(d)), Zero(d) - x, x);
    }
  }
};

SY_FUNCTORS_END

#endif  // per target
