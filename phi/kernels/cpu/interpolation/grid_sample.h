// SPDX-License-Identifier: Apache-2.0
// grid_sample and its gradient on the CPU. A sample, and an image of a
// gradient, is one thread's: the number of threads does not change the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_GRID_SAMPLE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_GRID_SAMPLE_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/interpolation/grid_corners.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kGridSampleSpec = KernelSpec<S>();
template <typename T>
absl::Status GridSampleOf(const CpuContext&, const DenseTensor& x,
                          const DenseTensor& grid, std::string_view mode,
                          std::string_view padding_mode, bool align_corners,
                          DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  const GridImage image(x.shape(), grid.shape(), mode, padding_mode,
                        align_corners);
  const T* const from = x.data<T>();
  const T* const numbers = grid.data<T>();
  T* const to = out->mutable_data<T>();
  const int64_t channels = image.channels(), points = image.points();
  ParallelFor(
      0, image.batch() * points, std::max<int64_t>(1, (1 << 12) / channels),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const GridCorners corners = image.Corners(numbers + i * image.axes());
          const int64_t n = i / points;
          for (int64_t c = 0; c < channels; ++c) {
            const T* plane = from + (n * channels + c) * image.pixels();
            T sum = 0;
            for (int k = 0; k < corners.count; ++k) {
              const GridCorner& corner = corners.corners[k];
              sum += plane[corner.offset] * static_cast<T>(corner.weight);
            }
            to[(n * channels + c) * points + i % points] = sum;
          }
        }
      });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto GridSampleKernel =
    KernelInFloat<T, &GridSampleOf<FloatFor<T>>>();

// Adds what a sample of `grad` gives to one channel of x, and to the numbers of
// the grid.
template <typename T>
void AddSampleGrad(const GridCorners& corners, const T* plane, T grad,
                   T* plane_grad, double (&sums)[3]) {
  for (int k = 0; k < corners.count; ++k) {
    const GridCorner& corner = corners.corners[k];
    if (plane_grad != nullptr) {
      plane_grad[corner.offset] += grad * static_cast<T>(corner.weight);
    }
    const double product = double{grad} * double{plane[corner.offset]};
    for (int axis = 0; axis < 3; ++axis) {
      sums[axis] += product * corner.slopes[axis];
    }
  }
}

template <typename S>
inline constexpr auto kGridSampleGradSpec = KernelSpec<S>();
template <typename T>
absl::Status GridSampleGradOf(const CpuContext&, const DenseTensor& x,
                              const DenseTensor& grid,
                              const DenseTensor& out_grad,
                              std::string_view mode,
                              std::string_view padding_mode, bool align_corners,
                              DenseTensor* x_grad, DenseTensor* grid_grad) {
  const GridImage image(x.shape(), grid.shape(), mode, padding_mode,
                        align_corners);
  T* const to = x_grad == nullptr ? nullptr : x_grad->mutable_data<T>();
  T* const grid_to =
      grid_grad == nullptr ? nullptr : grid_grad->mutable_data<T>();
  const int64_t channels = image.channels(), points = image.points();
  const int64_t size = channels * image.pixels();
  ParallelFor(0, image.batch(), 1, [&](int64_t begin, int64_t end) {
    if (to != nullptr) std::fill(to + begin * size, to + end * size, T{0});
    for (int64_t i = begin * points; i < end * points; ++i) {
      const GridCorners corners =
          image.Corners(grid.data<T>() + i * image.axes());
      double sums[3] = {0, 0, 0};
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t plane = i / points * channels + c;
        AddSampleGrad(corners, x.data<T>() + plane * image.pixels(),
                      out_grad.data<T>()[plane * points + i % points],
                      to == nullptr ? nullptr : to + plane * image.pixels(),
                      sums);
      }
      for (int axis = 0; grid_to != nullptr && axis < image.axes(); ++axis) {
        grid_to[i * image.axes() + axis] = static_cast<T>(sums[axis]);
      }
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto GridSampleGradKernel =
    KernelInFloat<T, &GridSampleGradOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_GRID_SAMPLE_H_
