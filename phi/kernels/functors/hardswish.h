// SPDX-License-Identifier: Apache-2.0
// x min(max(x + 3, 0), 6) / 6; 0 below -3 and x above 3, infinities too. The
// vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSWISH_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSWISH_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSWISH_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSWISH_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct Hardswish : Functor<1> {
  using Functor<1>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V zero = Zero(d);
    const V three = Set(d, T(3));
    const V inner = x * (x + three) / Set(d, T(6));
    const V low = IfThenElse(AtMost(x, Neg(three)), zero, inner);
    return IfThenElse(AtMost(three, x), x, low);
  }
};

SY_FUNCTORS_END

#endif  // per target
