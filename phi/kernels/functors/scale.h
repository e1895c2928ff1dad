// SPDX-License-Identifier: Apache-2.0
// scale * x + bias, or scale * (x + bias). The vocabulary is explained in
// value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SCALE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SCALE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SCALE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SCALE_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
class Scale : public Functor<1> {
 public:
  // Attributes: scale, bias, bias_after_scale.
  explicit Scale(absl::Span<const AttrRef> attrs)
      : scale_(attrs[0].Get<const Scalar&>().to<T>()),
        bias_(attrs[1].Get<const Scalar&>().to<T>()),
        bias_after_scale_(attrs[2].Get<bool>()) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V scale = Set(d, scale_);
    const V bias = Set(d, bias_);
    return bias_after_scale_ ? scale * x + bias : scale * (x + bias);
  }

 private:
  T scale_;
  T bias_;
  bool bias_after_scale_;
};

SY_FUNCTORS_END

#endif  // per target
