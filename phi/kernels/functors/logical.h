// SPDX-License-Identifier: Apache-2.0
// Logic on truth values. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGICAL_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// True where x and y are, as a mask; numbers are true unless 0.
template <typename T>
struct LogicalAnd : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x, V y) const {
    return And(IsTrue(d, x), IsTrue(d, y));
  }
};

// True where x or y is, as a mask; numbers are true unless 0.
template <typename T>
struct LogicalOr : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x, V y) const {
    return Or(IsTrue(d, x), IsTrue(d, y));
  }
};

// True where one of x and y is, as a mask; numbers are true unless 0.
template <typename T>
struct LogicalXor : Functor<2, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x, V y) const {
    return Xor(IsTrue(d, x), IsTrue(d, y));
  }
};

// True where x is 0 or false, as a mask.
template <typename T>
struct LogicalNot : Functor<1, /*mask=*/true> {
  template <class D, class V>
  SY_FUNCTOR auto operator()(D d, V x) const {
    return x == Zero(d);
  }
};

SY_FUNCTORS_END

#endif  // per target
