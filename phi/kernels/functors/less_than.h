// SPDX-License-Identifier: Apache-2.0
// x < y, as a mask. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_LESS_THAN_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_LESS_THAN_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_LESS_THAN_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_LESS_THAN_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct LessThan {
  static constexpr int kInputs = 2;
  static constexpr bool kMask = true;
  explicit LessThan(absl::Span<const AttrRef>) {}

  template <class D, class V>
  SY_FUNCTOR auto operator()(D, V x, V y) const {
    return x < y;
  }
};

SY_FUNCTORS_END

#endif  // per target
