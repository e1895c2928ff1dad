// SPDX-License-Identifier: Apache-2.0
// The kernel of argmax on the CPU. The first of equals wins, and the first NaN
// before all numbers, as in NumPy.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ARGMAX_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ARGMAX_H_

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/lines.h"

namespace switchyard::phi::kernels {

// The position of the largest of `extent` elements, `stride` apart.
template <typename T>
int64_t PositionOfLargest(const T* x, int64_t extent, int64_t stride) {
  int64_t best = 0;
  T largest = x[0];
  for (int64_t p = 1; p < extent && largest == largest; ++p) {
    const T v = x[p * stride];
    if (v > largest || v != v) {
      best = p;
      largest = v;
    }
  }
  return best;
}

template <typename T, typename Context>
absl::Status ArgmaxKernel(const Context&, const DenseTensor& x, int64_t axis,
                          bool, bool flatten, DataType dtype,
                          DenseTensor* out) {
  const LineShape lines =
      flatten ? LineShape{1, x.numel(), 1} : LineShape::Along(x.shape(), axis);
  const T* from = x.data<T>();
  const int64_t grain =
      std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, lines.extent));
  ParallelFor(
      0, lines.outer * lines.inner, grain, [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) {
          const T* first = from +
                           line / lines.inner * lines.extent * lines.inner +
                           line % lines.inner;
          const int64_t best =
              PositionOfLargest(first, lines.extent, lines.inner);
          if (dtype == DataType::kInt32) {
            out->mutable_data<int32_t>()[line] = static_cast<int32_t>(best);
          } else {
            out->mutable_data<int64_t>()[line] = best;
          }
        }
      });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ARGMAX_H_
