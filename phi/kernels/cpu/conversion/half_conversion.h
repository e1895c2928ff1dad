// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 elements widened to float and narrowed again: whole
// buffers, threaded, for kernels whose work is done by their float form; spans,
// for kernels that compute in float inside a thread's loop and round their
// results once. The conversions are narrow_dtypes.h's.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_CONVERSION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_CONVERSION_H_

#include <cstdint>

#include "framework/device/cpu/parallel.h"
#include "framework/types/data_type.h"
#include "framework/types/float16.h"
#include "phi/kernels/cpu/conversion/narrow_dtypes.h"

namespace switchyard::phi::kernels::cpu {

// Elements of a chunk.
inline constexpr int64_t kHalfGrain = 1 << 15;

// to[i] = from[i], exactly.
template <typename T>
void WidenBuffer(const T* from, int64_t size, float* to) {
  ParallelFor(0, size, kHalfGrain, [&](int64_t begin, int64_t end) {
    Widen(DataTypeOf<T>::value, from + begin, end - begin, to + begin);
  });
}

// to[i] = the T nearest to from[i].
template <typename T>
void NarrowBuffer(const float* from, int64_t size, T* to) {
  ParallelFor(0, size, kHalfGrain, [&](int64_t begin, int64_t end) {
    Narrow(DataTypeOf<T>::value, from + begin, end - begin, to + begin);
  });
}

// to[i] = x[i], exactly.
inline void WidenSpan(const float16* x, int64_t n, float* to) {
  Widen(DataType::kFloat16, x, n, to);
}
inline void WidenSpan(const bfloat16* x, int64_t n, float* to) {
  Widen(DataType::kBFloat16, x, n, to);
}

// Calls fn(offset, const float* span, count) for spans of x[0, n) in order.
template <typename T, typename Fn>
void ForEachWidened(const T* x, int64_t n, Fn fn) {
  constexpr int64_t kSpan = 512;
  float span[kSpan];
  for (int64_t begin = 0; begin < n; begin += kSpan) {
    const int64_t count = n - begin < kSpan ? n - begin : kSpan;
    WidenSpan(x + begin, count, span);
    fn(begin, static_cast<const float*>(span), count);
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_CONVERSION_H_
