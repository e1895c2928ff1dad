// SPDX-License-Identifier: Apache-2.0
// Whole buffers of float16 and bfloat16 made float and back, threaded: for
// kernels whose work is done by their float form. Spans inside a thread's loop
// are phi/kernels/cpu/half_spans.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_HALF_BUFFERS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_HALF_BUFFERS_H_

#include <cstdint>
#include <type_traits>

#include "framework/device/cpu/parallel.h"
#include "framework/types/float16.h"
#include "phi/kernels/cpu/half_spans.h"

namespace switchyard::phi::kernels {

template <typename T>
inline constexpr bool kIsHalf =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

// Elements of a chunk.
inline constexpr int64_t kHalfGrain = 1 << 15;

// to[i] = from[i], exactly.
template <typename T>
void WidenBuffer(const T* from, int64_t size, float* to) {
  ParallelFor(0, size, kHalfGrain, [&](int64_t begin, int64_t end) {
    WidenSpan(from + begin, end - begin, to + begin);
  });
}

// to[i] = the T nearest to from[i].
template <typename T>
void NarrowBuffer(const float* from, int64_t size, T* to) {
  ParallelFor(0, size, kHalfGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = T(from[i]);
  });
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_HALF_BUFFERS_H_
