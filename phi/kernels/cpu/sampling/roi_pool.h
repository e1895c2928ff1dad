// SPDX-License-Identifier: Apache-2.0
// roi_pool and its gradient on the CPU. The channels of a box are shared among
// threads; results do not depend on how.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_ROI_POOL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_ROI_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/roi_pool_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/index_copy.h"
#include "phi/kernels/cpu/sampling/regions.h"

namespace switchyard::phi::kernels::cpu {

// The pixels of a box along one axis, cut into bins that may overlap.
template <typename T>
class PixelBins {
 public:
  PixelBins(T from, T to, double scale, int bins, int64_t extent)
      : first_(Pixel(from, scale)), extent_(extent) {
    const int64_t length = std::max<int64_t>(Pixel(to, scale) - first_ + 1, 1);
    bin_ = static_cast<T>(length) / static_cast<T>(bins);
  }
  int64_t begin(int64_t bin) const {
    return Within(std::floor(static_cast<T>(bin) * bin_));
  }
  int64_t end(int64_t bin) const {
    return Within(std::ceil(static_cast<T>(bin + 1) * bin_));
  }

 private:
  // No image is as large as the limits.
  static int64_t Pixel(T place, double scale) {
    constexpr T kFar = static_cast<T>(int64_t{1} << 40);
    const T pixel = std::round(place * static_cast<T>(scale));
    return static_cast<int64_t>(
        std::isnan(pixel) ? T{0} : std::clamp(pixel, -kFar, kFar));
  }
  int64_t Within(T after) const {
    return std::clamp<int64_t>(first_ + static_cast<int64_t>(after), 0,
                               extent_);
  }

  int64_t first_;
  int64_t extent_;
  T bin_;
};

// The largest element of a part of a plane, and its number; 0 and -1 if the
// part is empty.
template <typename T>
int64_t LargestOf(const T* plane, int64_t width, int64_t row, int64_t row_end,
                  int64_t column, int64_t column_end, T* largest) {
  int64_t number = -1;
  const bool empty = row >= row_end || column >= column_end;
  *largest = empty ? T{0} : std::numeric_limits<T>::lowest();
  for (; row < row_end; ++row) {
    for (int64_t i = column; i < column_end; ++i) {
      const T one = plane[row * width + i];
      if (!(one > *largest)) continue;
      *largest = one;
      number = row * width + i;
    }
  }
  return number;
}

template <typename S>
inline constexpr auto kRoiPoolSpec = KernelSpec<S>()
                                         .Input(S::kBoxesNum,
                                                Fixed(DataType::kInt32))
                                         .Output(S::kArgMax,
                                                 Fixed(DataType::kInt64));
template <typename T>
absl::Status RoiPoolKernel(const CpuContext&, const DenseTensor& x,
                           const DenseTensor& boxes,
                           const DenseTensor* boxes_num, int pooled_height,
                           int pooled_width, double spatial_scale,
                           DenseTensor* out, DenseTensor* arg_max) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> image_of,
                      ImagesOfBoxes(boxes, boxes_num, x.extent(0)));
  const int64_t channels = x.extent(1), width = x.extent(3);
  const int64_t pixels = x.extent(2) * width;
  const int64_t bins = int64_t{pooled_height} * pooled_width;
  T* const to = out->mutable_data<T>();
  int64_t* const numbers = arg_max->mutable_data<int64_t>();
  for (int64_t i = 0; i < boxes.extent(0); ++i) {
    const T* box = boxes.data<T>() + i * 4;
    const PixelBins<T> rows(box[1], box[3], spatial_scale, pooled_height,
                            x.extent(2));
    const PixelBins<T> columns(box[0], box[2], spatial_scale, pooled_width,
                               width);
    ParallelFor(0, channels, 8, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const T* plane = x.data<T>() + (image_of[i] * channels + c) * pixels;
        for (int64_t k = 0; k < bins; ++k) {
          const int64_t row = k / pooled_width, column = k % pooled_width;
          const int64_t at = (i * channels + c) * bins + k;
          numbers[at] =
              LargestOf(plane, width, rows.begin(row), rows.end(row),
                        columns.begin(column), columns.end(column), to + at);
        }
      }
    });
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRoiPoolGradSpec = KernelSpec<S>()
                                             .Input(S::kBoxesNum,
                                                    Fixed(DataType::kInt32))
                                             .Input(S::kArgMax,
                                                    Fixed(DataType::kInt64));
template <typename T>
absl::Status RoiPoolGradKernel(const CpuContext& context,
                               const RoiPoolGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const std::vector<int64_t> image_of,
      ImagesOfBoxes(args.boxes, args.boxes_num, args.x.extent(0)));
  const int64_t channels = args.x.extent(1),
                pixels = args.x.extent(2) * args.x.extent(3);
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> chosen,
      CopyIndicesIn(context.allocator(), "arg_max", args.arg_max, -1, pixels));
  const int64_t* const numbers = chosen.data();
  T* const to = args.x_grad->mutable_data<T>();
  std::fill_n(to, args.x_grad->numel(), T{0});
  const int64_t bins = args.out_grad.extent(2) * args.out_grad.extent(3);
  for (int64_t i = 0; i < args.out_grad.numel(); ++i) {
    if (numbers[i] < 0) continue;
    const int64_t box = i / bins / channels, channel = i / bins % channels;
    to[(image_of[box] * channels + channel) * pixels + numbers[i]] +=
        args.out_grad.data<T>()[i];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_ROI_POOL_H_
