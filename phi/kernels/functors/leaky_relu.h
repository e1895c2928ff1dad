// SPDX-License-Identifier: Apache-2.0
// x where x > 0, else x times a slope. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_LEAKY_RELU_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_LEAKY_RELU_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_LEAKY_RELU_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_LEAKY_RELU_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
class LeakyRelu : public Functor<1> {
 public:
  // Attribute: negative_slope.
  explicit LeakyRelu(absl::Span<const AttrRef> attrs)
      : slope_(static_cast<T>(attrs[0].Get<double>())) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return IfThenElse(Gt(x, Zero(d)), x, Set(d, slope_) * x);
  }

 private:
  T slope_;
};

SY_FUNCTORS_END

#endif  // per target
