// SPDX-License-Identifier: Apache-2.0
// Whole buffers of float16 and bfloat16 made float and back, threaded: for
// kernels whose work is done by their float form. Spans inside a thread's loop
// are phi/kernels/cpu/conversion/narrow_dtypes.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_BUFFERS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_BUFFERS_H_

#include <cstdint>

#include "framework/device/cpu/parallel.h"
#include "framework/types/data_type.h"
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

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_HALF_BUFFERS_H_
