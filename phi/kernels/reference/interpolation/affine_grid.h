// SPDX-License-Identifier: Apache-2.0
// The reference kernel of affine_grid, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_AFFINE_GRID_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_AFFINE_GRID_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kAffineGridSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AffineGridKernel(const ReferenceContext&, const DenseTensor& input,
                              IntArray output_shape, bool align_corners,
                              DenseTensor* out) {
  const int axes = out->rank() - 2;
  // Pixel p of n has its centre at (2 p + 1) / n - 1, or at 2 p / (n - 1) - 1
  // where the outer centres are at the corners.
  const auto position = [&](int64_t pixel, int64_t extent) {
    const double p = double(pixel), n = double(extent);
    if (!align_corners) return (2 * p + 1 - n) / n;
    return extent == 1 ? -1.0 : (2 * p + 1 - n) / (n - 1);
  };
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(out->shape(), i);
    const int64_t component = index[axes + 1];
    double sum = At<T>(input, Index{index[0], component, axes});
    for (int axis = 1; axis <= axes; ++axis) {
      sum += At<T>(input, Index{index[0], component, axes - axis}) *
             position(index[axis], output_shape[axis + 1]);
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_AFFINE_GRID_H_
