// SPDX-License-Identifier: Apache-2.0
// The gradient of sigmoid: out_grad * out * (1 - out).
// The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_GRAD_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_GRAD_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_GRAD_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_GRAD_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct SigmoidGrad : Functor<2> {
  using Functor<2>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V out, V out_grad) const {
    return Mul(out_grad, Mul(out, Sub(Set(d, T(1)), out)));
  }
};

SY_FUNCTORS_END

#endif  // per target
