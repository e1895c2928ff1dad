// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions but tanh, which is in sigmoid.h: lane by lane by C's
// library, in double. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_HYPERBOLIC_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_HYPERBOLIC_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_HYPERBOLIC_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_HYPERBOLIC_H_
#endif

#include <cmath>
#include <complex>

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The hyperbolic sine.
template <typename T>
struct Sinh : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::sinh(std::complex<double>(x)));
    } else {
      return LaneWise(
          d, [](double v) { return static_cast<T>(std::sinh(v)); }, x);
    }
  }
};

// The hyperbolic cosine.
template <typename T>
struct Cosh : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::cosh(std::complex<double>(x)));
    } else {
      return LaneWise(
          d, [](double v) { return static_cast<T>(std::cosh(v)); }, x);
    }
  }
};

SY_FUNCTORS_END

#endif  // per target
