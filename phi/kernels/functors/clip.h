// SPDX-License-Identifier: Apache-2.0
// x limited to [min, max]; NaN stays NaN. The vocabulary is explained in
// value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_CLIP_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_CLIP_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_CLIP_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_CLIP_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
class Clip : public Functor<1> {
 public:
  // Attributes: min, max.
  explicit Clip(absl::Span<const AttrRef> attrs)
      : min_(attrs[0].Get<const Scalar&>().to<T>()),
        max_(attrs[1].Get<const Scalar&>().to<T>()) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V min = Set(d, min_);
    const V max = Set(d, max_);
    return IfThenElse(Lt(x, min), min, IfThenElse(Gt(x, max), max, x));
  }

 private:
  T min_;
  T max_;
};

SY_FUNCTORS_END

#endif  // per target
