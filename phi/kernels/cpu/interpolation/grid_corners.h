// SPDX-License-Identifier: Apache-2.0
// GridImage: which elements of an image a sample of grid_sample is made of.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_GRID_CORNERS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_GRID_CORNERS_H_

#include <cstdint>
#include <string_view>

#include "framework/types/shape.h"

namespace switchyard::phi::kernels::cpu {

// One element of a plane, its weight in the sample, and the derivatives of that
// by the numbers of the grid.
struct GridCorner {
  int64_t offset = 0;
  double weight = 1;
  double slopes[3] = {1, 1, 1};
};

// The elements of a sample that lie within the image.
struct GridCorners {
  int count = 0;
  GridCorner corners[8];
};

// Holds the extents of x [batch, channels, two or three axes], and how numbers
// of the grid say positions: from -1 to 1 along each axis, the last axis first.
class GridImage {
 public:
  GridImage(const Shape& x, const Shape& grid, std::string_view mode,
            std::string_view padding_mode, bool align_corners);

  int64_t batch() const { return batch_; }
  int64_t channels() const { return channels_; }
  int axes() const { return axes_; }
  int64_t pixels() const { return pixels_; }  // Of a plane of x.
  int64_t points() const { return points_; }  // Of a plane of the result.

  // `numbers` are axes() of them. Positions are computed in double.
  template <typename T>
  GridCorners Corners(const T* numbers) const {
    GridCorners corners;
    corners.count = 1;
    int64_t stride = 1;
    for (int i = 0; i < axes_; ++i) {
      Split(i, static_cast<double>(numbers[i]), stride, &corners);
      stride *= extents_[i];
    }
    return corners;
  }

 private:
  // A position in elements along an axis and its derivative by the number.
  struct Position {
    double at, slope;
  };

  Position Find(int64_t extent, double number) const;
  // Splits each corner along axis i (0 is the last one), whose neighbours are
  // `stride` elements apart.
  void Split(int i, double number, int64_t stride, GridCorners* corners) const;

  int64_t batch_, channels_, pixels_ = 1, points_ = 1;
  int axes_;
  int64_t extents_[3] = {1, 1, 1};  // The last axis first.
  bool nearest_, align_corners_, zeros_, reflects_;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_GRID_CORNERS_H_
