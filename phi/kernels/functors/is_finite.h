// SPDX-License-Identifier: Apache-2.0
// True where x is neither infinite nor NaN, as a mask. The vocabulary is
// explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_FINITE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_FINITE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_FINITE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_FINITE_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct IsFinite : Functor<1, /*mask=*/true> {
  using Functor<1, true>::Functor;

  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x) const {
    // Only of finite numbers the difference is 0.
    return (x - x) == Zero(d);
  }
};

SY_FUNCTORS_END

#endif  // per target
