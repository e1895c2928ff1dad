// SPDX-License-Identifier: Apache-2.0
// True where one of x and y is, as a mask; numbers are true unless 0. The
// vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_XOR_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_XOR_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_XOR_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_XOR_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct LogicalXor : Functor<2, /*mask=*/true> {
  using Functor<2, true>::Functor;

  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x, V y) const {
    return Xor(IsTrue(d, x), IsTrue(d, y));
  }
};

SY_FUNCTORS_END

#endif  // per target
