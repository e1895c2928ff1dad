// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/sampling/regions.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace switchyard::phi::kernels::cpu {
namespace {

// How many boxes each image has.
absl::StatusOr<std::vector<int64_t>> Counts(const DenseTensor& boxes,
                                            const DenseTensor* boxes_num,
                                            int64_t images) {
  const int64_t rows = boxes.extent(0);
  if (boxes_num != nullptr) {
    std::vector<int64_t> counts;
    int64_t all = 0;
    for (int64_t i = 0; i < boxes_num->numel(); ++i) {
      counts.push_back(boxes_num->data<int32_t>()[i]);
      if (counts.back() < 0) {
        return ArgumentError("boxes_num", "0 or more",
                             std::to_string(counts.back()));
      }
      all += counts.back();
    }
    if (all == rows) return counts;
    return ArgumentError(
        "boxes_num",
        "numbers whose sum is that of boxes, " + std::to_string(rows),
        std::to_string(all));
  }
  if (boxes.lod() != nullptr && !boxes.lod()->offsets.empty()) {
    SY_RETURN_IF_ERROR(Validate(*boxes.lod(), rows));
    return SequenceLengths(*boxes.lod()).back();
  }
  if (rows == 0) return std::vector<int64_t>(images);
  return std::vector<int64_t>{rows};
}

// Adds the sample at `place`, if it is within the image or a pixel outside.
template <typename T>
void AddSample(T place, int64_t extent, std::vector<AxisSample<T>>* samples) {
  if (!(place >= -1 && place <= static_cast<T>(extent))) return;
  place = std::max(place, T{0});
  const auto low = static_cast<int64_t>(place);
  if (low >= extent - 1) {
    samples->push_back({extent - 1, extent - 1, 1, 0});
    return;
  }
  const T part = place - static_cast<T>(low);
  samples->push_back({low, low + 1, 1 - part, part});
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ImagesOfBoxes(const DenseTensor& boxes,
                                                   const DenseTensor* boxes_num,
                                                   int64_t images) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> counts,
                      Counts(boxes, boxes_num, images));
  if (static_cast<int64_t>(counts.size()) != images) {
    return ArgumentError("boxes",
                         "of " + std::to_string(images) +
                             " images, by boxes_num or by sequences",
                         std::to_string(counts.size()));
  }
  std::vector<int64_t> image_of;
  for (int64_t image = 0; image < images; ++image) {
    image_of.insert(image_of.end(), counts[image], image);
  }
  return image_of;
}

template <typename T>
AxisSamples<T> SampleAxis(const RoiGrid& grid, T from, T to, int bins,
                          int64_t extent) {
  const T scale = static_cast<T>(grid.spatial_scale);
  const T shift = grid.aligned ? T{0.5} : T{0};
  const T first = from * scale - shift;
  T length = to * scale - shift - first;
  if (!grid.aligned) length = std::max(length, T{1});
  const T bin = length / static_cast<T>(bins);
  const T count = grid.sampling_ratio > 0 ? static_cast<T>(grid.sampling_ratio)
                                          : std::ceil(bin);
  AxisSamples<T> axis = {{}, {0}, double{count}};
  const T step = bin / count;
  const bool finite = std::isfinite(first) && std::isfinite(step) && count > 0;
  for (int b = 0; b < bins; ++b) {
    const T start = first + static_cast<T>(b) * bin;
    // However many samples a box has, few of them are in the image.
    double low = 0, more = double{count} - 1;
    if (finite && step != 0) {
      const double ends[2] = {(-1 - double{start}) / double{step},
                              (double(extent) - double{start}) / double{step}};
      low = std::max(low, std::floor(std::min(ends[0], ends[1])) - 1);
      const double within = double(extent + 1) / std::abs(double{step});
      more = std::min(more - low, std::ceil(within) + 3);
    }
    // Numbers so large that the next is the same are counted from the first.
    for (double k = 0; finite && extent > 0 && k <= more; ++k) {
      const T place = start + (static_cast<T>(low + k) + T{0.5}) * bin / count;
      AddSample(place, extent, &axis.samples);
    }
    axis.begins.push_back(static_cast<int64_t>(axis.samples.size()));
  }
  return axis;
}

template AxisSamples<float> SampleAxis(const RoiGrid&, float, float, int,
                                       int64_t);
template AxisSamples<double> SampleAxis(const RoiGrid&, double, double, int,
                                        int64_t);

}  // namespace switchyard::phi::kernels::cpu
