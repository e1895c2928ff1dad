// SPDX-License-Identifier: Apache-2.0
// 1 / x. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_RECIPROCAL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_RECIPROCAL_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_RECIPROCAL_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_RECIPROCAL_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct Reciprocal : Functor<1> {
  using Functor<1>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return Set(d, T(1)) / x;
  }
};

SY_FUNCTORS_END

#endif  // per target
