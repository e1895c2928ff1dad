// SPDX-License-Identifier: Apache-2.0
// The reference kernel of psroi_pool: every pixel of a channel is asked whether
// it lies in the bin.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_PSROI_POOL_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_PSROI_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sampling/roi_align.h"

namespace switchyard::phi::kernels::reference {

// Whether a pixel is in bin `bin` of `bins` of [from, to] along an axis. Places
// are computed in T, as the bins of the kernel are: they decide.
template <typename T>
bool InRoundedBin(T from, T to, double scale, int64_t bins, int64_t bin,
                  int64_t pixel) {
  const T first = std::round(from) * T(scale);
  const T last = (std::round(to) + T(1)) * T(scale);
  const T size = std::max(last - first, T(0.1)) / T(bins);
  return T(pixel) >= std::floor(T(bin) * size + first) &&
         T(pixel) < std::ceil(T(bin + 1) * size + first);
}

template <typename S>
inline constexpr auto kPsroiPoolSpec = KernelSpec<S>().AllStrided().Input(
    S::kBoxesNum, WithAnyStrides(Fixed(DataType::kInt32)));
template <typename T>
absl::Status PsroiPoolKernel(const ReferenceContext&, const DenseTensor& x,
                             const DenseTensor& boxes,
                             const DenseTensor* boxes_num, int pooled_height,
                             int pooled_width, int, double spatial_scale,
                             DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckImages(boxes, boxes_num, x.extent(0)));
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index at = Unravel(out->shape(), i);
    const auto corner = [&](int64_t k) {
      return At<T>(boxes, Index{at[0], k});
    };
    const int64_t image = ImageOfBox(boxes, boxes_num, x.extent(0), at[0]);
    const int64_t channel =
        (at[1] * pooled_height + at[2]) * pooled_width + at[3];
    double sum = 0;
    int64_t count = 0;
    for (int64_t row = 0; row < x.extent(2); ++row) {
      if (!InRoundedBin(corner(1), corner(3), spatial_scale, pooled_height,
                        at[2], row)) {
        continue;
      }
      for (int64_t column = 0; column < x.extent(3); ++column) {
        if (!InRoundedBin(corner(0), corner(2), spatial_scale, pooled_width,
                          at[3], column)) {
          continue;
        }
        sum += double(At<T>(x, Index{image, channel, row, column}));
        ++count;
      }
    }
    out->mutable_data<T>()[i] = static_cast<T>(count == 0 ? 0 : sum / count);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_PSROI_POOL_H_
