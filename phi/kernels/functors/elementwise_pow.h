// SPDX-License-Identifier: Apache-2.0
// x to the power y. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTWISE_POW_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTWISE_POW_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTWISE_POW_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTWISE_POW_H_
#endif

#include "phi/kernels/functors/power.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct ElementwisePow : Functor<2> {
  using Functor<2>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    return LaneWise(d, PowerOf<T>, x, y);
  }
};

SY_FUNCTORS_END

#endif  // per target
