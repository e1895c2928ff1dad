// SPDX-License-Identifier: Apache-2.0
// Reference kernels of roi_align and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_ROI_ALIGN_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_ROI_ALIGN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/roi_align.args.gen.h"
#include "phi/core/signatures/roi_align_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The image of box i; -1 if there is none, or not for every box.
inline int64_t ImageOfBox(const DenseTensor& boxes,
                          const DenseTensor* boxes_num, int64_t images,
                          int64_t i) {
  std::vector<int64_t> counts = {boxes.extent(0)};
  if (boxes_num != nullptr) {
    counts.clear();
    for (int64_t k = 0; k < boxes_num->numel(); ++k) {
      counts.push_back(At<int32_t>(*boxes_num, k));
    }
  } else if (boxes.lod() != nullptr) {
    counts = SequenceLengths(*boxes.lod()).back();
  }
  int64_t all = 0, image = -1;
  for (size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] < 0) return -1;
    if (i >= all && i < all + counts[k]) image = static_cast<int64_t>(k);
    all += counts[k];
  }
  const bool fits = static_cast<int64_t>(counts.size()) == images;
  return fits && all == boxes.extent(0) ? image : -1;
}

// ArgumentError unless every box has an image.
inline absl::Status CheckImages(const DenseTensor& boxes,
                                const DenseTensor* boxes_num, int64_t images) {
  for (int64_t i = 0; i < boxes.extent(0); ++i) {
    if (ImageOfBox(boxes, boxes_num, images, i) >= 0) continue;
    return ArgumentError(boxes_num == nullptr ? "boxes" : "boxes_num",
                         "of " + std::to_string(images) + " images", "others");
  }
  return absl::OkStatus();
}

// A pixel that an element of the result reads, and how much of it.
struct RoiTap {
  Index from;
  double weight;
};

// The corners about a place on an axis, with their weights.
inline std::vector<std::pair<int64_t, double>> Neighbours(double place,
                                                          int64_t extent) {
  if (place < -1 || place > double(extent)) return {};
  place = std::clamp(place, 0.0, double(extent - 1));
  const auto low = static_cast<int64_t>(place);
  const int64_t high = std::min(low + 1, extent - 1);
  return {{low, 1 - (place - double(low))}, {high, place - double(low)}};
}

// Returns the pixels that roi_align reads for a box; `where` is an index of its
// result.
template <typename T>
std::vector<RoiTap> RoiTaps(const Shape& x, const DenseTensor& boxes,
                            int64_t image, const Index& where, int height,
                            int width, double scale, int sampling_ratio,
                            bool aligned) {
  std::vector<std::vector<std::pair<int64_t, double>>> axes[2];
  double count = 1;
  for (int axis = 0; axis < 2; ++axis) {  // Down, across.
    const int64_t side = 1 - axis;
    const double low =
        At<T>(boxes, Index{where[0], side}) * scale - (aligned ? 0.5 : 0);
    double length = At<T>(boxes, Index{where[0], side + 2}) * scale -
                    (aligned ? 0.5 : 0) - low;
    if (!aligned) length = std::max(length, 1.0);
    const double bin = length / (axis == 0 ? height : width);
    const double samples =
        sampling_ratio > 0 ? double(sampling_ratio) : std::ceil(bin);
    for (double i = 0; i < samples; ++i) {
      const double place =
          low + double(where[2 + axis]) * bin + (i + 0.5) * bin / samples;
      axes[axis].push_back(Neighbours(place, x.extent(2 + axis)));
    }
    count *= samples;
  }
  std::vector<RoiTap> taps;
  for (const auto& down : axes[0]) {
    for (const auto& across : axes[1]) {
      for (const auto& [row, row_weight] : down) {
        for (const auto& [column, column_weight] : across) {
          taps.push_back({Index{image, where[1], row, column},
                          row_weight * column_weight / std::max(count, 1.0)});
        }
      }
    }
  }
  return taps;
}

template <typename S>
inline constexpr auto kRoiAlignSpec = KernelSpec<S>().AllStrided().Input(
    S::kBoxesNum, WithAnyStrides(Fixed(DataType::kInt32)));
template <typename T>
absl::Status RoiAlignKernel(const ReferenceContext&, const RoiAlignArgs& args) {
  SY_RETURN_IF_ERROR(CheckImages(args.boxes, args.boxes_num, args.x.extent(0)));
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    const Index where = Unravel(args.out->shape(), i);
    double sum = 0;
    for (const RoiTap& tap : RoiTaps<T>(
             args.x.shape(), args.boxes,
             ImageOfBox(args.boxes, args.boxes_num, args.x.extent(0), where[0]),
             where, args.pooled_height, args.pooled_width,
             T(args.spatial_scale), args.sampling_ratio, args.aligned)) {
      sum += tap.weight * double(At<T>(args.x, tap.from));
    }
    args.out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRoiAlignGradSpec = KernelSpec<S>().AllStrided().Input(
    S::kBoxesNum, WithAnyStrides(Fixed(DataType::kInt32)));
template <typename T>
absl::Status RoiAlignGradKernel(const ReferenceContext&,
                                const RoiAlignGradArgs& args) {
  SY_RETURN_IF_ERROR(CheckImages(args.boxes, args.boxes_num, args.x.extent(0)));
  std::vector<double> sums(args.x.numel());
  for (int64_t i = 0; i < args.out_grad.numel(); ++i) {
    const Index where = Unravel(args.out_grad.shape(), i);
    for (const RoiTap& tap : RoiTaps<T>(
             args.x.shape(), args.boxes,
             ImageOfBox(args.boxes, args.boxes_num, args.x.extent(0), where[0]),
             where, args.pooled_height, args.pooled_width,
             T(args.spatial_scale), args.sampling_ratio, args.aligned)) {
      sums[Ravel(args.x.shape(), tap.from)] +=
          tap.weight * double(At<T>(args.out_grad, i));
    }
  }
  for (int64_t i = 0; i < args.x_grad->numel(); ++i) {
    args.x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_ROI_ALIGN_H_
