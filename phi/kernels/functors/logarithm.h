// SPDX-License-Identifier: Apache-2.0
// Logarithms but the natural one, which is in exponential.h: lane by lane by
// C's library, in double. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGARITHM_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGARITHM_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGARITHM_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_LOGARITHM_H_
#endif

#include <cmath>

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The logarithm to base 2.
template <typename T>
struct Log2 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(std::log2(v)); }, x);
  }
};

// The logarithm to base 10.
template <typename T>
struct Log10 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(std::log10(v)); }, x);
  }
};

// log(1 + x).
template <typename T>
struct Log1p : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(std::log1p(v)); }, x);
  }
};

// The cross entropy of a probability and a label; no logarithm is below -100.
template <typename T>
struct BceLoss : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V label) const {
    return LaneWise(
        d,
        [](double v, double l) {
          const double yes = std::log(v), no = std::log(1 - v);
          return static_cast<T>((l - 1) * (no < -100 ? -100 : no) -
                                l * (yes < -100 ? -100 : yes));
        },
        x, label);
  }
};

SY_FUNCTORS_END

#endif  // per target
