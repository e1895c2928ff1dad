// SPDX-License-Identifier: Apache-2.0
// True where x is not a number, as a mask. The vocabulary is explained in
// value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_NAN_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_NAN_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_NAN_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_IS_NAN_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct IsNan : Functor<1, /*mask=*/true> {
  using Functor<1, true>::Functor;

  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x) const {
    return Not(x == x);
  }
};

SY_FUNCTORS_END

#endif  // per target
