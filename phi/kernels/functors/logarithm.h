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
#include <complex>

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// log(1 + x) of a complex number. Near 0 the square of |1 + x| is written as 1
// plus what is small. A template, as are its users: a GPU has no std::complex.
template <class Wide>
SY_FUNCTOR Wide ComplexLog1p(Wide x) {
  const double a = x.real(), b = x.imag();
  const double real = std::hypot(a, b) < 0.5
                          ? std::log1p(a * (2 + a) + b * b) / 2
                          : std::log(std::hypot(1 + a, b));
  return {real, std::atan2(b, 1 + a)};
}

// The logarithm to base 2.
template <typename T>
struct Log2 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::log(std::complex<double>(x)) / std::log(2.0));
    } else {
      return LaneWise(
          d, [](double v) { return static_cast<T>(std::log2(v)); }, x);
    }
  }
};

// The logarithm to base 10.
template <typename T>
struct Log10 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::log10(std::complex<double>(x)));
    } else {
      return LaneWise(
          d, [](double v) { return static_cast<T>(std::log10(v)); }, x);
    }
  }
};

// log(1 + x).
template <typename T>
struct Log1p : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(ComplexLog1p(std::complex<double>(x)));
    } else {
      return LaneWise(
          d, [](double v) { return static_cast<T>(std::log1p(v)); }, x);
    }
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
