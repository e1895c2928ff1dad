// SPDX-License-Identifier: Apache-2.0
// log(1 + exp(beta x)) / beta; x itself where beta x is above a threshold. The
// vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SOFTPLUS_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SOFTPLUS_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SOFTPLUS_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SOFTPLUS_H_
#endif

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
class Softplus : public Functor<1> {
 public:
  // Attributes: beta, threshold.
  explicit Softplus(absl::Span<const AttrRef> attrs)
      : beta_(static_cast<T>(attrs[0].Get<double>())),
        threshold_(static_cast<T>(attrs[1].Get<double>())) {}

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

SY_FUNCTORS_END

#endif  // per target
