// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 elements widened to float, a span at a time: for kernels
// that compute in float and round their results once. The conversions are
// phi/kernels/cpu/conversion/narrow_dtypes.h's.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_SPANS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_SPANS_H_

#include <cstdint>

#include "framework/types/float16.h"
#include "phi/kernels/cpu/conversion/narrow_dtypes.h"

namespace switchyard::phi::kernels::cpu {

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

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_SPANS_H_
