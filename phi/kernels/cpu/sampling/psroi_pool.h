// SPDX-License-Identifier: Apache-2.0
// psroi_pool on the CPU. The boxes are shared among threads; results do not
// depend on how.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_PSROI_POOL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_PSROI_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sampling/regions.h"

namespace switchyard::phi::kernels::cpu {

// A box along one axis, from its first pixel to the one after its last, cut
// into bins. Nothing is narrower than a tenth of a pixel.
template <typename T>
class RoundedBins {
 public:
  RoundedBins(T from, T to, double scale, int bins, int64_t extent)
      : first_(std::round(from) * static_cast<T>(scale)), extent_(extent) {
    const T last = (std::round(to) + T{1}) * static_cast<T>(scale);
    bin_ = std::max(last - first_, T(0.1)) / static_cast<T>(bins);
  }
  int64_t begin(int64_t bin) const {
    return Within(std::floor(static_cast<T>(bin) * bin_ + first_));
  }
  int64_t end(int64_t bin) const {
    return Within(std::ceil(static_cast<T>(bin + 1) * bin_ + first_));
  }

 private:
  int64_t Within(T pixel) const {
    if (std::isnan(pixel)) return 0;
    return static_cast<int64_t>(
        std::clamp(pixel, T{0}, static_cast<T>(extent_)));
  }

  T first_;
  T bin_;
  int64_t extent_;
};

template <typename S>
inline constexpr auto kPsroiPoolSpec =
    KernelSpec<S>().Input(S::kBoxesNum, Fixed(DataType::kInt32));
template <typename T>
absl::Status PsroiPoolKernel(const CpuContext&, const DenseTensor& x,
                             const DenseTensor& boxes,
                             const DenseTensor* boxes_num, int pooled_height,
                             int pooled_width, int output_channels,
                             double spatial_scale, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> image_of,
                      ImagesOfBoxes(boxes, boxes_num, x.extent(0)));
  const int64_t channels = x.extent(1), width = x.extent(3);
  const int64_t pixels = x.extent(2) * width;
  const int64_t bins = int64_t{pooled_height} * pooled_width;
  T* const to = out->mutable_data<T>();
  ParallelFor(0, boxes.extent(0), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* box = boxes.data<T>() + i * 4;
      const RoundedBins<T> rows(box[1], box[3], spatial_scale, pooled_height,
                                x.extent(2));
      const RoundedBins<T> columns(box[0], box[2], spatial_scale, pooled_width,
                                   width);
      // Channel k of the image is that of bin k % bins.
      for (int64_t k = 0; k < output_channels * bins; ++k) {
        const int64_t row = k % bins / pooled_width, column = k % pooled_width;
        const int64_t left = columns.begin(column), right = columns.end(column);
        const int64_t top = rows.begin(row), bottom = rows.end(row);
        const T* plane = x.data<T>() + (image_of[i] * channels + k) * pixels;
        T sum = 0;
        for (int64_t r = top; r < bottom; ++r) {
          for (int64_t c = left; c < right; ++c) sum += plane[r * width + c];
        }
        const bool empty = bottom <= top || right <= left;
        to[i * output_channels * bins + k] =
            empty ? T{0}
                  : sum / static_cast<T>((bottom - top) * (right - left));
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_PSROI_POOL_H_
