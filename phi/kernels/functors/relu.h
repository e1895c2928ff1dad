// SPDX-License-Identifier: Apache-2.0
// relu(x) = x where x > 0, NaN where x is NaN, else 0.
// The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct Relu : Functor<1> {
  using Functor<1>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    // Not Max: it would turn a NaN into 0.
    const V zero = Zero(d);
    return IfThenElse(Le(x, zero), zero, x);
  }
};

SY_FUNCTORS_END

#endif  // per target
