// SPDX-License-Identifier: Apache-2.0
// roi_align and its gradient on the CPU. The channels of a box are shared among
// threads; results do not depend on how.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_ROI_ALIGN_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_ROI_ALIGN_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/roi_align.args.gen.h"
#include "phi/core/signatures/roi_align_grad.args.gen.h"
#include "phi/kernels/cpu/sampling/regions.h"

namespace switchyard::phi::kernels::cpu {

// The samples of one box.
template <typename T>
struct BoxSamples {
  AxisSamples<T> rows;
  AxisSamples<T> columns;

  BoxSamples(const RoiGrid& grid, const T* box, const Shape& x, int height,
             int width)
      : rows(SampleAxis(grid, box[1], box[3], height, x.extent(2))),
        columns(SampleAxis(grid, box[0], box[2], width, x.extent(3))) {}

  // Samples of a bin, those outside of the image too.
  T count() const {
    return static_cast<T>(std::max(rows.per_bin * columns.per_bin, 1.0));
  }
  // Calls fn(row, column) for each sample of a bin.
  template <typename Fn>
  void ForEach(int64_t row, int64_t column, const Fn& fn) const {
    for (int64_t i = rows.begins[row]; i < rows.begins[row + 1]; ++i) {
      for (int64_t k = columns.begins[column]; k < columns.begins[column + 1];
           ++k) {
        fn(rows.samples[i], columns.samples[k]);
      }
    }
  }
};

// The mean of a bin's samples of a plane.
template <typename T>
T BinMean(const BoxSamples<T>& samples, int64_t row, int64_t column,
          const T* plane, int64_t width) {
  T sum = 0;
  samples.ForEach(row, column,
                  [&](const AxisSample<T>& y, const AxisSample<T>& x) {
                    const T* low = plane + y.low * width;
                    const T* high = plane + y.high * width;
                    sum += y.low_weight * x.low_weight * low[x.low] +
                           y.low_weight * x.high_weight * low[x.high] +
                           y.high_weight * x.low_weight * high[x.low] +
                           y.high_weight * x.high_weight * high[x.high];
                  });
  return sum / samples.count();
}

// Adds what a bin's gradient gives to the pixels of its samples.
template <typename T>
void AddBinGrad(const BoxSamples<T>& samples, int64_t row, int64_t column,
                T grad, T* plane, int64_t width) {
  const T share = grad / samples.count();
  samples.ForEach(row, column,
                  [&](const AxisSample<T>& y, const AxisSample<T>& x) {
                    T* low = plane + y.low * width;
                    T* high = plane + y.high * width;
                    low[x.low] += share * y.low_weight * x.low_weight;
                    low[x.high] += share * y.low_weight * x.high_weight;
                    high[x.low] += share * y.high_weight * x.low_weight;
                    high[x.high] += share * y.high_weight * x.high_weight;
                  });
}

template <typename S>
inline constexpr auto kRoiAlignSpec =
    KernelSpec<S>().Input(S::kBoxesNum, Fixed(DataType::kInt32));
template <typename T>
absl::Status RoiAlignKernel(const CpuContext&, const RoiAlignArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const std::vector<int64_t> image_of,
      ImagesOfBoxes(args.boxes, args.boxes_num, args.x.extent(0)));
  if (args.out->numel() == 0) return absl::OkStatus();
  const RoiGrid grid = {args.spatial_scale, args.sampling_ratio, args.aligned};
  const int64_t channels = args.x.extent(1), width = args.x.extent(3);
  const int64_t pixels = args.x.extent(2) * width;
  T* const to = args.out->mutable_data<T>();
  const int64_t bins = int64_t{args.pooled_height} * args.pooled_width;
  for (int64_t i = 0; i < args.boxes.extent(0); ++i) {
    const BoxSamples<T> samples(grid, args.boxes.data<T>() + i * 4,
                                args.x.shape(), args.pooled_height,
                                args.pooled_width);
    ParallelFor(0, channels, 8, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const T* plane =
            args.x.data<T>() + (image_of[i] * channels + c) * pixels;
        T* bin = to + (i * channels + c) * bins;
        for (int64_t k = 0; k < bins; ++k) {
          bin[k] = BinMean(samples, k / args.pooled_width,
                           k % args.pooled_width, plane, width);
        }
      }
    });
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRoiAlignGradSpec =
    KernelSpec<S>().Input(S::kBoxesNum, Fixed(DataType::kInt32));
template <typename T>
absl::Status RoiAlignGradKernel(const CpuContext&,
                                const RoiAlignGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const std::vector<int64_t> image_of,
      ImagesOfBoxes(args.boxes, args.boxes_num, args.x.extent(0)));
  const RoiGrid grid = {args.spatial_scale, args.sampling_ratio, args.aligned};
  const int64_t channels = args.x.extent(1), width = args.x.extent(3);
  const int64_t pixels = args.x.extent(2) * width;
  T* const to = args.x_grad->mutable_data<T>();
  std::fill_n(to, args.x_grad->numel(), T{0});
  if (args.out_grad.numel() == 0) return absl::OkStatus();
  for (int64_t i = 0; i < args.boxes.extent(0); ++i) {
    const BoxSamples<T> samples(grid, args.boxes.data<T>() + i * 4,
                                args.x.shape(), args.pooled_height,
                                args.pooled_width);
    const T* grads = args.out_grad.data<T>() +
                     i * channels * args.pooled_height * args.pooled_width;
    ParallelFor(0, channels, 4, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        T* plane = to + (image_of[i] * channels + c) * pixels;
        for (int64_t k = 0; k < int64_t{args.pooled_height} * args.pooled_width;
             ++k) {
          AddBinGrad(samples, k / args.pooled_width, k % args.pooled_width,
                     grads[c * args.pooled_height * args.pooled_width + k],
                     plane, width);
        }
      }
    });
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_ROI_ALIGN_H_
