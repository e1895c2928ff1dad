// SPDX-License-Identifier: Apache-2.0
// Complex numbers and their parts, one number at a time. The vocabulary is
// explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPLEX_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPLEX_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPLEX_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_COMPLEX_H_
#endif

#include <cmath>
#include <complex>

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// x / |x|, and 0 of 0; of an infinite number the direction of its infinite
// parts.
template <class Wide>
SY_FUNCTOR Wide ComplexUnit(Wide x) {
  double a = x.real(), b = x.imag();
  if (std::isinf(a) || std::isinf(b)) {
    a = std::copysign(std::isinf(a) ? 1.0 : 0.0, a);
    b = std::copysign(std::isinf(b) ? 1.0 : 0.0, b);
  }
  const double size = std::hypot(a, b);
  return size == 0 ? x : Wide(a / size, b / size);
}

// real + imag i. T is the type of the parts.
template <typename T>
struct MakeComplex : Functor<2> {
  static constexpr bool kOneByOne = true;
  static constexpr bool kOtherDtype = true;
  SY_FUNCTOR std::complex<T> operator()(OneNumber, T real, T imag) const {
    return {real, imag};
  }
};

// The real part.
template <typename T>
struct RealPart : Functor<1> {
  static constexpr bool kOneByOne = true;
  static constexpr bool kOtherDtype = true;
  template <class V>
  SY_FUNCTOR auto operator()(OneNumber, V x) const {
    return x.real();
  }
};

// The imaginary part.
template <typename T>
struct ImaginaryPart : Functor<1> {
  static constexpr bool kOneByOne = true;
  static constexpr bool kOtherDtype = true;
  template <class V>
  SY_FUNCTOR auto operator()(OneNumber, V x) const {
    return x.imag();
  }
};

// The number with the sign of its imaginary part turned.
template <typename T>
struct Conjugate : Functor<1> {
  static constexpr bool kOneByOne = true;
  template <class V>
  SY_FUNCTOR V operator()(OneNumber, V x) const {
    return std::conj(x);
  }
};

// The angle to the positive real axis, in (-pi, pi]: of a real number 0 or pi.
template <typename T>
struct Angle : Functor<1> {
  static constexpr bool kOneByOne = true;
  static constexpr bool kOtherDtype = true;
  template <class V>
  SY_FUNCTOR auto operator()(OneNumber, V x) const {
    if constexpr (kIsComplex<V>) {
      return std::atan2(x.imag(), x.real());
    } else {
      return x != x ? x : x < 0 ? static_cast<V>(M_PI) : V{0};
    }
  }
};

SY_FUNCTORS_END

#endif  // per target
