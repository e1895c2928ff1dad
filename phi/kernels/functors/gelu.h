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
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// erf(x); of floats in double, since the sum of its series loses some bits.
template <class D, class V>
SY_FUNCTOR V AccurateErf(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(double)) {
    return ErrorFunction(d, x);
  } else {
    const hn::Half<D> half;
    const hn::Rebind<double, hn::Half<D>> wide;
    const auto low = ErrorFunction(wide, hn::PromoteTo(wide, LowerHalf(x)));
    const auto high =
        ErrorFunction(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)));
    return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
  }
}

// Phi(x) = (1 + erf(x / sqrt(2))) / 2.
template <class D, class V>
SY_FUNCTOR V NormalDistribution(D d, V x) {
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  const V erf = AccurateErf(d, x * Set(d, T(0.70710678118654752440)));
  return Set(d, T(0.5)) * (Set(d, T(1)) + erf);
}

// tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
template <class D, class V>
SY_FUNCTOR V GeluTanh(D d, V x) {
  using T = hwy::HWY_NAMESPACE::TFromD<D>;
  const V cube = Set(d, T(0.044715)) * x * x * x;
  return HyperbolicTangent(d, Set(d, T(0.79788456080286535588)) * (x + cube));
}

template <typename T>
class Gelu {
 public:
  static constexpr int kInputs = 1;
  static constexpr bool kMask = false;
  // Attribute: approximate.
  explicit Gelu(absl::Span<const AttrRef> attrs)
      : approximate_(attrs[0].Get<bool>()) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if (!approximate_) return x * NormalDistribution(d, x);
    return Set(d, T(0.5)) * x * (Set(d, T(1)) + GeluTanh(d, x));
  }

 private:
  bool approximate_;
};

SY_FUNCTORS_END

#endif  // per target
