// SPDX-License-Identifier: Apache-2.0
// min(max(x, 0), 6); NaN stays NaN. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU6_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU6_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU6_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU6_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct Relu6 : Functor<1> {
  using Functor<1>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V zero = Zero(d);
    const V six = Set(d, T(6));
    return IfThenElse(Lt(x, zero), zero, IfThenElse(Gt(x, six), six, x));
  }
};

SY_FUNCTORS_END

#endif  // per target
