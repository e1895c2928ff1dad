// SPDX-License-Identifier: Apache-2.0
// Functions over the lanes of a vector otherwise than in its own type: one by
// one, for what has no vector form worth its code, or in double, for what
// floats would lose. The rest of the vocabulary is in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_LANE_WISE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_LANE_WISE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_LANE_WISE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_LANE_WISE_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// f(x...) of each lane.
template <class D, class F, class... V>
SY_FUNCTOR auto LaneWise(D d, F f, V... x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  constexpr size_t kLanes = hn::MaxLanes(d);
  HWY_ALIGN T in[sizeof...(x)][kLanes];
  HWY_ALIGN T out[kLanes];
  size_t k = 0;
  (hn::Store(x, d, in[k++]), ...);
  for (size_t i = 0; i < kLanes; ++i) {
    if constexpr (sizeof...(x) == 1) {
      out[i] = f(in[0][i]);
    } else {
      out[i] = f(in[0][i], in[1][i]);
    }
  }
  return hn::Load(d, out);
}

// f(d, x) of float or double lanes, computed in double; f is an object, whose
// operator is a template.
template <class D, class F, class V>
SY_FUNCTOR V ThroughDouble(D d, F f, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(double)) {
    return f(d, x);
  } else {
    const hn::Half<D> half;
    const hn::Rebind<double, hn::Half<D>> wide;
    const auto low = f(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x)));
    const auto high = f(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)));
    return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
  }
}

SY_FUNCTORS_END

#endif  // per target
