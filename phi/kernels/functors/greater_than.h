// SPDX-License-Identifier: Apache-2.0
// x > y, as a mask. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_GREATER_THAN_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_GREATER_THAN_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_GREATER_THAN_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_GREATER_THAN_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct GreaterThan : Functor<2, /*mask=*/true> {
  using Functor<2, true>::Functor;

  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    return x > y;
  }
};

SY_FUNCTORS_END

#endif  // per target
