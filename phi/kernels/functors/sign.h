// SPDX-License-Identifier: Apache-2.0
// -1, 0 or 1; NaN where x is. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGN_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGN_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGN_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGN_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct Sign : Functor<1> {
  using Functor<1>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    // Zeros and NaN stay what they are.
    const V one = Set(d, T(1));
    return IfThenElse(Gt(x, Zero(d)), one,
                      IfThenElse(Lt(x, Zero(d)), Neg(one), x));
  }
};

SY_FUNCTORS_END

#endif  // per target
