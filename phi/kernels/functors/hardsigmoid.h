// SPDX-License-Identifier: Apache-2.0
// slope x + offset, limited to [0, 1]; NaN stays NaN. The vocabulary is
// explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSIGMOID_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSIGMOID_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSIGMOID_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_HARDSIGMOID_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
class Hardsigmoid : public Functor<1> {
 public:
  // Attributes: slope, offset.
  explicit Hardsigmoid(absl::Span<const AttrRef> attrs)
      : slope_(static_cast<T>(attrs[0].Get<double>())),
        offset_(static_cast<T>(attrs[1].Get<double>())) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V zero = Zero(d);
    const V one = Set(d, T(1));
    const V line = Set(d, slope_) * x + Set(d, offset_);
    return IfThenElse(Lt(line, zero), zero,
                      IfThenElse(Gt(line, one), one, line));
  }

 private:
  T slope_;
  T offset_;
};

SY_FUNCTORS_END

#endif  // per target
