// SPDX-License-Identifier: Apache-2.0
// similarity_focus on the CPU: the largest elements of planes, at most one in a
// row and a column.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ORDERING_SIMILARITY_FOCUS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ORDERING_SIMILARITY_FOCUS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// The planes of x [batch, a, b, c] across one of its last three axes.
struct FocusPlanes {
  int64_t rows, columns, count;
  int64_t row_step, column_step, plane_step;

  FocusPlanes(const Shape& x, int axis) {
    const int64_t steps[] = {x.extent(2) * x.extent(3), x.extent(3), 1};
    const int across = axis - 1, down = across == 0 ? 1 : 0,
              along = across == 2 ? 1 : 2;
    rows = x.extent(down + 1), columns = x.extent(along + 1);
    count = x.extent(across + 1);
    row_step = steps[down], column_step = steps[along];
    plane_step = steps[across];
  }
  int64_t at(int64_t i) const {
    return i / columns * row_step + i % columns * column_step;
  }
};

template <typename S>
inline constexpr auto kSimilarityFocusSpec = KernelSpec<S>();
template <typename T>
absl::Status SimilarityFocusKernel(const CpuContext&, const DenseTensor& x,
                                   int axis, absl::Span<const int> indexes,
                                   DenseTensor* out) {
  T* const to = out->mutable_data<T>();
  std::fill_n(to, out->numel(), T{0});
  if (x.numel() == 0) return absl::OkStatus();
  const FocusPlanes planes(x.shape(), axis);
  const int64_t size = x.numel() / x.extent(0);
  ParallelFor(0, x.extent(0), 1, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> order(planes.rows * planes.columns);
    for (int64_t i = begin * static_cast<int64_t>(indexes.size());
         i < end * static_cast<int64_t>(indexes.size()); ++i) {
      const auto count = static_cast<int64_t>(indexes.size());
      const T* const plane = x.data<T>() + i / count * size +
                             indexes[i % count] * planes.plane_step;
      std::iota(order.begin(), order.end(), int64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return plane[planes.at(a)] > plane[planes.at(b)];
      });
      std::vector<bool> row_met(planes.rows), column_met(planes.columns);
      for (const int64_t place : order) {
        const int64_t row = place / planes.columns,
                      column = place % planes.columns;
        if (row_met[row] || column_met[column]) continue;
        row_met[row] = column_met[column] = true;
        for (int64_t k = 0; k < planes.count; ++k) {
          to[i / count * size + planes.at(place) + k * planes.plane_step] = 1;
        }
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ORDERING_SIMILARITY_FOCUS_H_
