// SPDX-License-Identifier: Apache-2.0
// x to the power of an attribute. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_POW_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_POW_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_POW_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_POW_H_
#endif

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/power.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
class Pow : public Functor<1> {
 public:
  // Attribute: y.
  explicit Pow(absl::Span<const AttrRef> attrs)
      : y_(attrs[0].Get<const Scalar&>().to<T>()) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if (y_ == T(1)) return x;
    if (y_ == T(2)) return x * x;
    return LaneWise(d, PowerOf<T>, x, Set(d, y_));
  }

 private:
  T y_;
};

SY_FUNCTORS_END

#endif  // per target
