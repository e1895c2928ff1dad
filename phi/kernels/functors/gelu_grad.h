// SPDX-License-Identifier: Apache-2.0
// The gradient of gelu (gelu.h). The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_GRAD_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_GRAD_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_GRAD_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_GRAD_H_
#endif

#include "phi/kernels/functors/error_function.h"
#include "phi/kernels/functors/gelu.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
class GeluGrad : public Functor<2> {
 public:
  // Attribute: approximate.
  explicit GeluGrad(absl::Span<const AttrRef> attrs)
      : approximate_(attrs[0].Get<bool>()) {}

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
