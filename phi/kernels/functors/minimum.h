// SPDX-License-Identifier: Apache-2.0
// The smaller of x and y: extreme.h. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_MINIMUM_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_MINIMUM_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_MINIMUM_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_MINIMUM_H_
#endif

#include "phi/kernels/functors/extreme.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
using Minimum = Extreme<T, /*largest=*/false>;

SY_FUNCTORS_END

#endif  // per target
