// SPDX-License-Identifier: Apache-2.0
// The kernel of cumsum on the CPU: float16 and bfloat16 are summed in float,
// float in double, integers wrap around. Every sum is rounded once.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CUMSUM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CUMSUM_H_

#include <algorithm>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/kernels/cpu/lines.h"

namespace switchyard::phi::kernels {

// Lines side by side: their sums are kept together.
inline constexpr int64_t kCumsumColumns = 64;

// The lines [column, column + width) of one slice, from `first` on, `step`
// elements (negative: from the end) apart.
template <typename T>
void CumsumLines(const T* x, T* out, int64_t extent, int64_t step,
                 int64_t width, bool exclusive) {
  using Sum =
      std::conditional_t<std::is_integral_v<T>, uint64_t,
                         std::conditional_t<sizeof(T) == 2, float, double>>;
  Sum sums[kCumsumColumns] = {};
  for (int64_t p = 0; p < extent; ++p, x += step, out += step) {
    for (int64_t i = 0; i < width; ++i) {
      const Sum before = sums[i];
      sums[i] += static_cast<Sum>(x[i]);
      out[i] = static_cast<T>(exclusive ? before : sums[i]);
    }
  }
}

template <typename T, typename Context>
absl::Status CumsumKernel(const Context&, const DenseTensor& x, int axis,
                          bool flatten, bool exclusive, bool reverse,
                          DenseTensor* out) {
  const LineShape lines =
      flatten ? LineShape{1, x.numel(), 1} : LineShape::Along(x.shape(), axis);
  if (x.numel() == 0) return absl::OkStatus();
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  const int64_t parts = (lines.inner + kCumsumColumns - 1) / kCumsumColumns;
  const int64_t step = reverse ? -lines.inner : lines.inner;
  const int64_t work = lines.extent * std::min(kCumsumColumns, lines.inner);
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / work);
  ParallelFor(0, lines.outer * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column = t % parts * kCumsumColumns;
      const int64_t slice = t / parts * lines.extent;
      const int64_t first = reverse ? slice + lines.extent - 1 : slice;
      const int64_t at = first * lines.inner + column;
      CumsumLines(from + at, to + at, lines.extent, step,
                  std::min(kCumsumColumns, lines.inner - column), exclusive);
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CUMSUM_H_
