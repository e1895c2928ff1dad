// SPDX-License-Identifier: Apache-2.0
// Regions of images for the CPU kernels of roi_align and roi_pool: which image
// a box belongs to, and where the samples of a bin lie.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_REGIONS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_REGIONS_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::kernels::cpu {

// The image of each box, of `images`: by how many each has (`boxes_num`, which
// may be null), else by the sequences of the boxes, else they are all of the
// only image. ArgumentError where the numbers are not those of the boxes.
absl::StatusOr<std::vector<int64_t>> ImagesOfBoxes(const DenseTensor& boxes,
                                                   const DenseTensor* boxes_num,
                                                   int64_t images);

// A sample between two pixels of an axis.
template <typename T>
struct AxisSample {
  int64_t low;
  int64_t high;
  T low_weight;
  T high_weight;
};

// The samples of a box along one axis, those within the image alone.
template <typename T>
struct AxisSamples {
  std::vector<AxisSample<T>> samples;
  std::vector<int64_t> begins;  // By bin; one more is the end.
  double per_bin;               // With those outside, which are 0.
};

// How roi_align lays samples into boxes.
struct RoiGrid {
  double spatial_scale;
  int sampling_ratio;  // Samples along each axis of a bin; up to 0: by size.
  bool aligned;
};

// Cuts [from, to], in the box's image, into `bins`, over `extent` pixels.
template <typename T>
AxisSamples<T> SampleAxis(const RoiGrid& grid, T from, T to, int bins,
                          int64_t extent);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_REGIONS_H_
