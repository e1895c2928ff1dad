// SPDX-License-Identifier: Apache-2.0
// The kernels of argmax and argmin on the CPU. The first of equals wins, and
// the first NaN before all numbers, as in NumPy.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_ARGMAX_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_ARGMAX_H_

#include <algorithm>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/simd/axis_slices.h"

namespace switchyard::phi::kernels::cpu {

// The position of the largest (kLargest) or smallest of `extent` elements,
// `stride` apart.
template <bool kLargest, typename T>
int64_t PositionOfExtreme(const T* x, int64_t extent, int64_t stride) {
  int64_t best = 0;
  T extreme = x[0];
  for (int64_t p = 1; p < extent && extreme == extreme; ++p) {
    const T v = x[p * stride];
    if ((kLargest ? v > extreme : v < extreme) || v != v) {
      best = p;
      extreme = v;
    }
  }
  return best;
}

template <bool kLargest, typename T>
void FindExtremes(const DenseTensor& x, int64_t axis, bool flatten,
                  DenseTensor* out) {
  if (out->numel() == 0) return;
  const AxisSlices lines = flatten ? AxisSlices{1, x.numel(), 1}
                                   : AxisSlices::Along(x.shape(), axis);
  const T* from = x.data<T>();
  const bool narrow = out->dtype() == DataType::kInt32;
  const int64_t grain =
      std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, lines.extent));
  ParallelFor(
      0, lines.outer * lines.inner, grain, [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) {
          const T* first = from +
                           line / lines.inner * lines.extent * lines.inner +
                           line % lines.inner;
          const int64_t best =
              PositionOfExtreme<kLargest>(first, lines.extent, lines.inner);
          if (narrow) {
            out->mutable_data<int32_t>()[line] = static_cast<int32_t>(best);
          } else {
            out->mutable_data<int64_t>()[line] = best;
          }
        }
      });
}

template <typename S>
inline constexpr auto kArgmaxSpec = KernelSpec<S>().Output(S::kOut,
                                                           OneOf(kIndexDtypes));
template <typename T>
absl::Status ArgmaxKernel(const CpuContext&, const DenseTensor& x, int64_t axis,
                          bool, bool flatten, DataType, DenseTensor* out) {
  FindExtremes<true, T>(x, axis, flatten, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArgminSpec = KernelSpec<S>().Output(S::kOut,
                                                           OneOf(kIndexDtypes));
template <typename T>
absl::Status ArgminKernel(const CpuContext&, const DenseTensor& x, int64_t axis,
                          bool, bool flatten, DataType, DenseTensor* out) {
  FindExtremes<false, T>(x, axis, flatten, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_ARGMAX_H_
