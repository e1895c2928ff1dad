// SPDX-License-Identifier: Apache-2.0
// gelu and its gradient. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_
#endif

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/error_function.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// gelu(x) = x Phi(x) with the normal distribution Phi, or its approximation by
// tanh (D. Hendrycks, K. Gimpel, "Gaussian error linear units", 2016).

// The logistic function of 2 u for u = sqrt(2 / pi) (x + 0.044715 x^3), which
// is (1 + tanh(u)) / 2.
template <class D, class V>
SY_FUNCTOR V GeluLogistic(D d, V x) {
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  const V cube = Set(d, T(0.044715)) * x * x * x;
  return Logistic(d, Set(d, T(2 * 0.79788456080286535588)) * (x + cube));
}

// x times the normal distribution's probability up to x, or the tanh formula
// for it.
template <typename T>
class Gelu : public Functor<1> {
 public:
  explicit Gelu(bool approximate) : approximate_(approximate) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V factor =
        approximate_ ? GeluLogistic(d, x) : NormalDistribution(d, x);
    // -infinity times 0 is NaN; from here on the product is 0 anyway.
    return Max(x, Set(d, T(-1e4))) * factor;
  }

 private:
  bool approximate_;
};

// The gradient of gelu.
template <typename T>
class GeluGrad : public Functor<2> {
 public:
  explicit GeluGrad(bool approximate) : approximate_(approximate) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V out_grad) const {
    return out_grad * (approximate_ ? Approximate(d, x) : Exact(d, x));
  }

 private:
  // Phi(x) + x phi(x).
  template <class D, class V>
  SY_FUNCTOR V Exact(D d, V x) const {
    // Bell is 0 at the limit already; of larger numbers it would be NaN.
    const V z = Min(Abs(x), Set(d, kNormalLimit<T>));
    const V density = Set(d, T(0.39894228040143267794)) * Bell(d, z);
    // At infinity too x times a density of 0 is 0, not NaN.
    const V term = IfThenElse(density == Zero(d), Zero(d), x * density);
    return NormalDistribution(d, x) + term;
  }
  // With s = (1 + t) / 2 for the tanh t of the approximation, 1 - t^2 is
  // 4 s (1 - s): s + 2 x s (1 - s) sqrt(2 / pi) (1 + 3 * 0.044715 x^2).
  template <class D, class V>
  SY_FUNCTOR V Approximate(D d, V x) const {
    const V one = Set(d, T(1));
    const V s = GeluLogistic(d, x);
    const V inner = Set(d, T(2 * 0.79788456080286535588)) *
                    (one + Set(d, T(3 * 0.044715)) * x * x);
    const V slope = s * (one - s);
    const V term = IfThenElse(slope == Zero(d), Zero(d), x * slope * inner);
    return s + term;
  }

  bool approximate_;
};

SY_FUNCTORS_END

#endif  // per target
