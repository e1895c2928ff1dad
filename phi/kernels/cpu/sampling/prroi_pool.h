// SPDX-License-Identifier: Apache-2.0
// prroi_pool and its gradient on the CPU. A bin's integral is a product of
// weights of rows and of columns. Channels of a box are shared among threads;
// results do not depend on how.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_PRROI_POOL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_PRROI_POOL_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/prroi_pool_grad.args.gen.h"
#include "phi/kernels/cpu/sampling/regions.h"

namespace switchyard::phi::kernels::cpu {

// The image of each box, as ImagesOfBoxes has it, for numbers that may be
// int64.
inline absl::StatusOr<std::vector<int64_t>> ImagesOfRegions(
    const DenseTensor& boxes, const DenseTensor* boxes_num, int64_t images) {
  if (boxes_num == nullptr || boxes_num->dtype() != DataType::kInt64) {
    return ImagesOfBoxes(boxes, boxes_num, images);
  }
  std::vector<int64_t> image_of;
  const int64_t* const counts = boxes_num->data<int64_t>();
  int64_t left = boxes.extent(0);
  for (int64_t i = 0; i < images && left >= 0; ++i) {
    left = counts[i] < 0 ? -1 : left - counts[i];
    if (left >= 0) image_of.insert(image_of.end(), counts[i], i);
  }
  if (left == 0) return image_of;
  return ArgumentError(
      "boxes_num",
      "numbers from 0 whose sum is " + std::to_string(boxes.extent(0)),
      "others");
}

// The integral up to `v` of the pixel at 0, whose height falls to 0 at -1 and
// 1.
inline double RampIntegral(double v) {
  v = std::clamp(v, -1.0, 1.0);
  return v - v * std::abs(v) / 2;
}
// The pixel's height.
inline double Ramp(double v) { return std::max(1 - std::abs(v), 0.0); }

// The part of one bin along one axis: how much of the pixels from `first` on
// its integral has, and the heights of these at its ends.
struct BinAxis {
  double begin;
  double end;
  int64_t first = 0;
  std::vector<double> weights;
  std::vector<double> at_begin;
  std::vector<double> at_end;

  BinAxis(double from, double to, int64_t extent) : begin(from), end(to) {
    // NaN and what lies outside has no pixels.
    if (!(end > begin && end > -1 && begin < static_cast<double>(extent))) {
      return;
    }
    first = static_cast<int64_t>(std::floor(std::max(begin, 0.0)));
    const auto last = static_cast<int64_t>(
        std::ceil(std::min(end, static_cast<double>(extent - 1))));
    for (int64_t i = first; i <= last; ++i) {
      const auto place = static_cast<double>(i);
      weights.push_back(RampIntegral(end - place) -
                        RampIntegral(begin - place));
      at_begin.push_back(Ramp(begin - place));
      at_end.push_back(Ramp(end - place));
    }
  }
  double length() const { return end - begin; }
};

// The bins of a box along one axis.
template <typename T>
std::vector<BinAxis> BinsOfAxis(T from, T to, double scale, int count,
                                int64_t extent) {
  const double begin = static_cast<double>(from) * scale;
  const double length =
      std::max(static_cast<double>(to) * scale - begin, 0.0) / count;
  std::vector<BinAxis> bins;
  for (int i = 0; i < count; ++i) {
    bins.emplace_back(begin + i * length, begin + (i + 1) * length, extent);
  }
  return bins;
}

// The sum of the pixels of a plane, times weights of rows and columns.
template <typename T>
double Weighed(const BinAxis& rows, const std::vector<double>& row_weights,
               const BinAxis& columns,
               const std::vector<double>& column_weights, const T* plane,
               int64_t width) {
  double sum = 0;
  for (size_t i = 0; i < row_weights.size(); ++i) {
    const T* const row =
        plane + (rows.first + static_cast<int64_t>(i)) * width + columns.first;
    double line = 0;
    for (size_t k = 0; k < column_weights.size(); ++k) {
      line += column_weights[k] * static_cast<double>(row[k]);
    }
    sum += row_weights[i] * line;
  }
  return sum;
}

template <typename S>
inline constexpr auto kPrroiPoolSpec =
    KernelSpec<S>().Input(S::kBoxesNum, OneOf(kIndexDtypes));
template <typename T>
absl::Status PrroiPoolKernel(const CpuContext&, const DenseTensor& x,
                             const DenseTensor& boxes,
                             const DenseTensor* boxes_num, int pooled_height,
                             int pooled_width, double spatial_scale,
                             DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> image_of,
                      ImagesOfRegions(boxes, boxes_num, x.extent(0)));
  if (out->numel() == 0) return absl::OkStatus();
  const int64_t channels = x.extent(1), width = x.extent(3);
  const int64_t pixels = x.extent(2) * width;
  const int64_t bins = int64_t{pooled_height} * pooled_width;
  for (int64_t i = 0; i < boxes.extent(0); ++i) {
    const T* const box = boxes.data<T>() + i * 4;
    const auto rows =
        BinsOfAxis(box[1], box[3], spatial_scale, pooled_height, x.extent(2));
    const auto columns =
        BinsOfAxis(box[0], box[2], spatial_scale, pooled_width, width);
    T* const to = out->mutable_data<T>() + i * channels * bins;
    ParallelFor(0, channels, 8, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        const T* const plane =
            x.data<T>() + (image_of[i] * channels + c) * pixels;
        for (int64_t k = 0; k < bins; ++k) {
          const BinAxis& row = rows[k / pooled_width];
          const BinAxis& column = columns[k % pooled_width];
          const double area = row.length() * column.length();
          to[c * bins + k] =
              static_cast<T>(area > 0 ? Weighed(row, row.weights, column,
                                                column.weights, plane, width) /
                                            area
                                      : 0);
        }
      }
    });
  }
  return absl::OkStatus();
}

// Adds what a bin's gradient gives to the pixels of a plane.
template <typename T>
void AddBinPixels(const BinAxis& row, const BinAxis& column, double share,
                  int64_t width, T* plane) {
  for (size_t i = 0; i < row.weights.size(); ++i) {
    T* const line =
        plane + (row.first + static_cast<int64_t>(i)) * width + column.first;
    for (size_t k = 0; k < column.weights.size(); ++k) {
      line[k] += static_cast<T>(share * row.weights[i] * column.weights[k]);
    }
  }
}

// Adds what moves with the ends of a box along an axis: of bin i of `count` the
// begin by 1 - i / count and its end by 1 - (i + 1) / count with the
// box's begin, the rest with its end.
inline void AddBoxEnds(double by_begin, double by_end, int64_t i, int count,
                       double* begin, double* end) {
  const double first = static_cast<double>(i) / count;
  const double last = static_cast<double>(i + 1) / count;
  *begin += by_begin * (1 - first) + by_end * (1 - last);
  *end += by_begin * first + by_end * last;
}

template <typename S>
inline constexpr auto kPrroiPoolGradSpec =
    KernelSpec<S>().Input(S::kBoxesNum, OneOf(kIndexDtypes));
template <typename T>
absl::Status PrroiPoolGradKernel(const CpuContext&,
                                 const PrroiPoolGradArgs& args) {
  const DenseTensor& x = args.x;
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> image_of,
                      ImagesOfRegions(args.boxes, args.boxes_num, x.extent(0)));
  T* const to =
      args.x_grad != nullptr ? args.x_grad->mutable_data<T>() : nullptr;
  T* const moved =
      args.boxes_grad != nullptr ? args.boxes_grad->mutable_data<T>() : nullptr;
  if (to != nullptr) std::fill_n(to, args.x_grad->numel(), T{0});
  if (moved != nullptr) std::fill_n(moved, args.boxes_grad->numel(), T{0});
  if (args.out_grad.numel() == 0) return absl::OkStatus();
  const int64_t channels = x.extent(1), width = x.extent(3);
  const int64_t pixels = x.extent(2) * width;
  const int height = args.pooled_height, across = args.pooled_width;
  const int64_t bins = int64_t{height} * across;
  for (int64_t i = 0; i < args.boxes.extent(0); ++i) {
    const T* const box = args.boxes.data<T>() + i * 4;
    const auto rows =
        BinsOfAxis(box[1], box[3], args.spatial_scale, height, x.extent(2));
    const auto columns =
        BinsOfAxis(box[0], box[2], args.spatial_scale, across, width);
    const T* const grads = args.out_grad.data<T>() + i * channels * bins;
    // Each channel's own, added below in their order.
    std::vector<std::array<double, 4>> ends(channels);
    ParallelFor(0, channels, 4, [&](int64_t first, int64_t last) {
      for (int64_t k = first * bins; k < last * bins; ++k) {
        const int64_t c = k / bins, y = k % bins / across, z = k % across;
        const BinAxis& row = rows[y];
        const BinAxis& column = columns[z];
        const double area = row.length() * column.length();
        if (!(area > 0)) continue;
        const double share = static_cast<double>(grads[k]) / area;
        const int64_t start = (image_of[i] * channels + c) * pixels;
        if (to != nullptr) AddBinPixels(row, column, share, width, to + start);
        if (moved == nullptr) continue;
        const auto weighed = [&](const std::vector<double>& down,
                                 const std::vector<double>& along) {
          return Weighed(row, down, column, along, x.data<T>() + start, width);
        };
        const double sum = weighed(row.weights, column.weights);
        const double high = sum / row.length(), wide = sum / column.length();
        std::array<double, 4>& end = ends[c];
        AddBoxEnds(share * (high - weighed(row.at_begin, column.weights)),
                   share * (weighed(row.at_end, column.weights) - high), y,
                   height, &end[1], &end[3]);
        AddBoxEnds(share * (wide - weighed(row.weights, column.at_begin)),
                   share * (weighed(row.weights, column.at_end) - wide), z,
                   across, &end[0], &end[2]);
      }
    });
    for (int side = 0; moved != nullptr && side < 4; ++side) {
      double sum = 0;
      for (const auto& end : ends) sum += end[side];
      moved[i * 4 + side] = static_cast<T>(sum * args.spatial_scale);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_PRROI_POOL_H_
