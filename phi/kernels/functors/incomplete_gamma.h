// SPDX-License-Identifier: Apache-2.0
// Functors over phi/kernels/functors/incomplete_gamma_value.h, one by one in
// double. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_INCOMPLETE_GAMMA_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_INCOMPLETE_GAMMA_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_INCOMPLETE_GAMMA_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_INCOMPLETE_GAMMA_H_
#endif

#include "phi/kernels/functors/incomplete_gamma_value.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The lower function of x up to y.
template <typename T>
struct Gammainc : Functor<2> {
  static constexpr bool kOneByOne = true;
  SY_FUNCTOR T operator()(OneNumber, T x, T y) const {
    return static_cast<T>(IncompleteGammaOf(x, y).lower);
  }
};

// The upper function of x from y.
template <typename T>
struct Gammaincc : Functor<2> {
  static constexpr bool kOneByOne = true;
  SY_FUNCTOR T operator()(OneNumber, T x, T y) const {
    return static_cast<T>(IncompleteGammaOf(x, y).upper);
  }
};

SY_FUNCTORS_END

#endif  // per target
