// SPDX-License-Identifier: Apache-2.0
// Parts that the legacy kernels on elements share: the numbers that they
// compute with, and loops over elements.
#ifndef SWITCHYARD_PHI_FLUID_ELEMENTWISE_MAP_H_
#define SWITCHYARD_PHI_FLUID_ELEMENTWISE_MAP_H_

#include <cstdint>
#include <type_traits>

#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"

namespace switchyard::phi::fluid {

// The numbers that elements of T are computed in: float for the narrow ones.
template <typename T>
using Number = std::conditional_t<sizeof(T) == 2, float, T>;

// Elements that are worth a thread.
inline constexpr int64_t kMapGrain = 16384;

// out[i] = f(x[i]), in numbers of type N. `out` may be `x`.
template <typename T, typename N = Number<T>, typename Function>
void Map(const DenseTensor& x, const Function& f, DenseTensor* out) {
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), kMapGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<T>(f(static_cast<N>(from[i])));
    }
  });
}

// out[i] = f(x[i], y[i]), in numbers of type N. `out` may be either.
template <typename T, typename N = Number<T>, typename Function>
void Map(const DenseTensor& x, const DenseTensor& y, const Function& f,
         DenseTensor* out) {
  const T* a = x.data<T>();
  const T* b = y.data<T>();
  T* to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), kMapGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<T>(f(static_cast<N>(a[i]), static_cast<N>(b[i])));
    }
  });
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_ELEMENTWISE_MAP_H_
