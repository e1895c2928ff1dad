// SPDX-License-Identifier: Apache-2.0
// Activations made of the logistic function and tanh; of complex numbers by C's
// functions, in double. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_
#endif

#include <complex>

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// 1 / (1 + e^-x) of a complex number, written so that the power of e does not
// overflow. A template, as are its users: a GPU has no std::complex.
template <class Wide>
SY_FUNCTOR Wide ComplexLogistic(Wide x) {
  if (x.real() >= 0) return 1.0 / (1.0 + std::exp(-x));
  const Wide exp = std::exp(x);
  return exp / (1.0 + exp);
}

// sigmoid(x) = 1 / (1 + exp(-x)).
template <typename T>
struct Sigmoid : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(ComplexLogistic(std::complex<double>(x)));
    } else {
      return Logistic(d, x);
    }
  }
};

// The gradient of sigmoid: out_grad * out * (1 - out), of complex numbers with
// the conjugate of the last two.
template <typename T>
struct SigmoidGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V out, V out_grad) const {
    if constexpr (kIsComplex<V>) {
      return out_grad * std::conj(out * (V(1) - out));
    } else {
      return Mul(out_grad, Mul(out, Sub(Set(d, T(1)), out)));
    }
  }
};

// x / (1 + exp(-x)).
template <typename T>
struct Silu : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      const std::complex<double> wide(x);
      return static_cast<V>(wide * ComplexLogistic(wide));
    } else {
      // -infinity times 0 is NaN; from here on the product is 0 anyway.
      return Max(x, Set(d, T(-1e4))) * Logistic(d, x);
    }
  }
};

// The gradient of silu: out_grad * s * (1 + x * (1 - s)) for s = sigmoid(x), of
// complex numbers with the conjugate of what multiplies out_grad.
template <typename T>
struct SiluGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V out_grad) const {
    if constexpr (kIsComplex<V>) {
      const std::complex<double> wide(x), s = ComplexLogistic(wide);
      return out_grad * std::conj(static_cast<V>(s * (1.0 + wide * (1.0 - s))));
    } else {
      return out_grad * Slope(d, x);
    }
  }

 private:
  template <class D, class V>
  SY_FUNCTOR V Slope(D d, V x) const {
    const V one = Set(d, T(1));
    const V exp = Exponential(d, Neg(Abs(x)));
    // sigmoid(|x|), and 1 less that, without the difference.
    const V large = one / (one + exp);
    const V small = exp * large;
    const auto below = Lt(x, Zero(d));
    // Infinity times 0 would be NaN.
    const V z = Max(Min(x, Set(d, T(1e4))), Set(d, T(-1e4)));
    return IfThenElse(below, small, large) *
           MulAdd(z, IfThenElse(below, large, small), one);
  }
};

// log(1 + exp(beta x)) / beta; x itself where beta x is above a threshold.
template <typename T>
class Softplus : public Functor<1> {
 public:
  Softplus(double beta, double threshold)
      : beta_(static_cast<T>(beta)), threshold_(static_cast<T>(threshold)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V scaled = Set(d, beta_) * x;
    // max(s, 0) + log(1 + exp(-|s|)): no overflow, and no cancellation.
    const V rest = LogarithmOfOnePlus(d, Exponential(d, Neg(Abs(scaled))));
    const V positive = IfThenElse(Lt(scaled, Zero(d)), Zero(d), scaled);
    const V smooth = (positive + rest) / Set(d, beta_);
    return IfThenElse(Gt(scaled, Set(d, threshold_)), x, smooth);
  }

 private:
  T beta_;
  T threshold_;
};

// tanh(x).
template <typename T>
struct Tanh : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::tanh(std::complex<double>(x)));
    } else {
      return HyperbolicTangent(d, x);
    }
  }
};

// The gradient of tanh: out_grad * (1 - out^2), of complex numbers with the
// conjugate of the latter.
template <typename T>
struct TanhGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V out, V out_grad) const {
    if constexpr (kIsComplex<V>) {
      return out_grad * std::conj(V(1) - out * out);
    } else {
      return Mul(out_grad, Sub(Set(d, T(1)), Mul(out, out)));
    }
  }
};

SY_FUNCTORS_END

#endif  // per target
