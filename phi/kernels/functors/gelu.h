// SPDX-License-Identifier: Apache-2.0
// gelu(x) = x Phi(x) with the normal distribution Phi, or its approximation by
// tanh (D. Hendrycks, K. Gimpel, "Gaussian error linear units", 2016). The
// vocabulary is explained in value.h.
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

// The logistic function of 2 u for u = sqrt(2 / pi) (x + 0.044715 x^3), which
// is (1 + tanh(u)) / 2.
template <class D, class V>
SY_FUNCTOR V GeluLogistic(D d, V x) {
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  const V cube = Set(d, T(0.044715)) * x * x * x;
  return Logistic(d, Set(d, T(2 * 0.79788456080286535588)) * (x + cube));
}

template <typename T>
class Gelu : public Functor<1> {
 public:
  // Attribute: approximate.
  explicit Gelu(absl::Span<const AttrRef> attrs)
      : approximate_(attrs[0].Get<bool>()) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V factor =
        approximate_ ? GeluLogistic(d, x) : NormalDistribution(d, x);
    return x * factor;
  }

 private:
  bool approximate_;
};

SY_FUNCTORS_END

#endif  // per target
