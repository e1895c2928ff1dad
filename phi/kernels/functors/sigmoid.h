// SPDX-License-Identifier: Apache-2.0
// Activations made of the logistic function and tanh. The vocabulary is
// explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SIGMOID_H_
#endif

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// sigmoid(x) = 1 / (1 + exp(-x)).
template <typename T>
struct Sigmoid : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return Logistic(d, x);
  }
};

// The gradient of sigmoid: out_grad * out * (1 - out).
//
template <typename T>
struct SigmoidGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V out, V out_grad) const {
    return Mul(out_grad, Mul(out, Sub(Set(d, T(1)), out)));
  }
};

// x / (1 + exp(-x)).
template <typename T>
struct Silu : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return x * Logistic(d, x);
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
    return HyperbolicTangent(d, x);
  }
};

// The gradient of tanh: out_grad * (1 - out^2).
//
template <typename T>
struct TanhGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V out, V out_grad) const {
    return Mul(out_grad, Sub(Set(d, T(1)), Mul(out, out)));
  }
};

SY_FUNCTORS_END

#endif  // per target
