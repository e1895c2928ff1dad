// SPDX-License-Identifier: Apache-2.0
// The vocabulary of functors for one number a thread: it takes the place of
// phi/kernels/functors/value.h, whose guard it sets, and is included before any
// functor. They then stand in this backend's namespace.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_VALUE_CUH_
#define SWITCHYARD_PHI_KERNELS_GPU_VALUE_CUH_

#include "cuda_runtime.h"

#define SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#define SY_FUNCTOR __device__ __forceinline__
#define SY_FUNCTORS_BEGIN namespace switchyard::phi::kernels::gpu {
#define SY_FUNCTORS_END }

SY_FUNCTORS_BEGIN

// As in phi/kernels/functors/value.h.
template <int inputs, bool mask = false>
struct Functor {
  static constexpr int kInputs = inputs;
  static constexpr bool kMask = mask;
};

// Highway's tags tell a vector's lanes; here it is one of T.
template <typename T>
struct ScalarTag {};

template <typename T>
SY_FUNCTOR T Set(ScalarTag<T>, T v) {
  return v;
}
template <typename T>
SY_FUNCTOR T Zero(ScalarTag<T>) {
  return T{0};
}
template <typename T>
SY_FUNCTOR bool Le(T a, T b) {
  return a <= b;
}
template <typename T>
SY_FUNCTOR T IfThenElse(bool mask, T yes, T no) {
  return mask ? yes : no;
}

SY_FUNCTORS_END

#endif  // SWITCHYARD_PHI_KERNELS_GPU_VALUE_CUH_
