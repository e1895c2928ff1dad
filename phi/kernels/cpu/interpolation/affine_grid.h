// SPDX-License-Identifier: Apache-2.0
// affine_grid on the CPU. A row of positions is one thread's: the number of
// threads does not change the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_AFFINE_GRID_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_AFFINE_GRID_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// Returns `extent` positions from -1 to 1 along an axis: of the outer elements'
// centres, or, unless `align_corners`, of all centres where the outer elements'
// edges are at -1 and 1. From both ends to the middle, so that they mirror.
template <typename T>
std::vector<T> GridPositions(int64_t extent, bool align_corners) {
  const double count = static_cast<double>(extent);
  const double first = align_corners ? -1.0 : -1.0 + 1.0 / count;
  const double step = extent > 1 ? -2.0 * first / (count - 1) : 0.0;
  std::vector<T> positions(static_cast<size_t>(extent));
  for (int64_t i = 0; i < extent; ++i) {
    const bool ahead = i < extent / 2 || extent == 1;
    const double at = ahead
                          ? first + step * static_cast<double>(i)
                          : -first - step * static_cast<double>(extent - 1 - i);
    positions[static_cast<size_t>(i)] = static_cast<T>(at);
  }
  return positions;
}

template <typename S>
inline constexpr auto kAffineGridSpec = KernelSpec<S>();
template <typename T>
absl::Status AffineGridKernel(const CpuContext&, const DenseTensor& input,
                              IntArray, bool align_corners, DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  const int axes = out->rank() - 2;
  std::array<std::vector<T>, 3> positions;  // By axis, the last one first.
  for (int i = 0; i < axes; ++i) {
    positions[i] = GridPositions<T>(out->extent(axes - i), align_corners);
  }
  const int64_t width = out->extent(axes);
  const int64_t rows = out->numel() / (width * axes);
  const int64_t rows_of_one = rows / out->extent(0);
  const T* const matrices = input.data<T>();
  T* const to = out->mutable_data<T>();
  const auto write_row = [&](int64_t row) {
    const T* const matrix = matrices + row / rows_of_one * axes * (axes + 1);
    // Where the row is along the other axes.
    std::array<T, 3> at = {};
    int64_t rest = row % rows_of_one;
    for (int i = 1; i < axes; ++i) {
      const auto extent = static_cast<int64_t>(positions[i].size());
      at[i] = positions[i][static_cast<size_t>(rest % extent)];
      rest /= extent;
    }
    T* point = to + row * width * axes;
    for (int64_t w = 0; w < width; ++w) {
      at[0] = positions[0][static_cast<size_t>(w)];
      for (int k = 0; k < axes; ++k) {
        const T* const line = matrix + k * (axes + 1);
        T sum = line[axes];
        for (int i = 0; i < axes; ++i) sum += line[i] * at[i];
        *point++ = sum;
      }
    }
  };
  ParallelFor(0, rows, std::max<int64_t>(1, (1 << 12) / width),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) write_row(row);
              });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_AFFINE_GRID_H_
