// SPDX-License-Identifier: Apache-2.0
// Exponentials and what is like them; of complex numbers C's, in double. The
// vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPONENTIAL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPONENTIAL_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPONENTIAL_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_EXPONENTIAL_H_
#endif

#include <complex>

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/error_function.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// e^x.
template <typename T>
struct Exp : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::exp(std::complex<double>(x)));
    } else {
      return Exponential(d, x);
    }
  }
};

// The natural logarithm.
template <typename T>
struct Log : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::log(std::complex<double>(x)));
    } else {
      return Logarithm(d, x);
    }
  }
};

// The error function of x.
template <typename T>
struct Erf : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return ErrorFunction(d, x);
  }
};

// The gradient of the error function: out_grad 2 / sqrt(pi) exp(-x^2).
template <typename T>
struct ErfGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V out_grad) const {
    // From the limit on the slope rounds to 0.
    const V size = Min(Abs(x), Set(d, ErrorSeries<T>::kErfcZero));
    const V slope = Set(d, T(1.1283791670955125739)) *
                    ExponentialOfSquare(d, Set(d, T(-1)), size);
    return out_grad * IfThenElse(IsNaN(x), x, slope);
  }
};

SY_FUNCTORS_END

#endif  // per target
