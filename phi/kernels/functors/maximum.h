// SPDX-License-Identifier: Apache-2.0
// The larger of x and y: extreme.h. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_MAXIMUM_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_MAXIMUM_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_MAXIMUM_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_MAXIMUM_H_
#endif

#include "phi/kernels/functors/extreme.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
using Maximum = Extreme<T, /*largest=*/true>;

SY_FUNCTORS_END

#endif  // per target
