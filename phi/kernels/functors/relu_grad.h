// SPDX-License-Identifier: Apache-2.0
// The gradient of relu: out_grad where out > 0, else 0.
// The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_GRAD_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_GRAD_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_GRAD_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_RELU_GRAD_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct ReluGrad : Functor<2> {
  using Functor<2>::Functor;

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V out, V out_grad) const {
    return IfThenElse(Gt(out, Zero(d)), out_grad, Zero(d));
  }
};

SY_FUNCTORS_END

#endif  // per target
