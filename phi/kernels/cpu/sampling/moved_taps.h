// SPDX-License-Identifier: Apache-2.0
// MovedTaps: where the taps of a deformable convolution read an image, for the
// CPU kernels. A tap lies between pixels; what is outside of the image is 0.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_MOVED_TAPS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_MOVED_TAPS_H_

#include <cmath>
#include <cstdint>

#include "framework/types/shape.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::cpu {

// The four pixels about a place; a pixel outside of the image has number -1.
template <typename T>
struct TapCorners {
  int64_t pixels[4] = {-1, -1, -1, -1};  // Upper left and right, lower ones.
  T down = 0;                            // From the upper to the lower ones.
  T across = 0;

  T weight(int corner) const {
    return (corner < 2 ? 1 - down : down) *
           (corner % 2 == 0 ? 1 - across : across);
  }
  // The sample of a plane.
  T Read(const T* plane) const {
    T sum = 0;
    for (int k = 0; k < 4; ++k) {
      if (pixels[k] >= 0) sum += weight(k) * plane[pixels[k]];
    }
    return sum;
  }
  // The slopes of the sample as the place moves down, and across.
  T SlopeDown(const T* plane) const {
    return (1 - across) * (at(plane, 2) - at(plane, 0)) +
           across * (at(plane, 3) - at(plane, 1));
  }
  T SlopeAcross(const T* plane) const {
    return (1 - down) * (at(plane, 1) - at(plane, 0)) +
           down * (at(plane, 3) - at(plane, 2));
  }

 private:
  T at(const T* plane, int corner) const {
    return pixels[corner] >= 0 ? plane[pixels[corner]] : T{0};
  }
};

// The geometry of a call, and the taps of one image: tap t of `taps()` of a
// deformable group at pixel p of `pixels()` of the result.
struct MovedTaps {
  WindowAxis rows;
  WindowAxis columns;
  int64_t channels;
  int64_t deformable_groups;

  int64_t taps() const { return rows.kernel * columns.kernel; }
  int64_t pixels() const { return rows.output * columns.output; }
  int64_t plane() const { return rows.input * columns.input; }
  int64_t group_channels() const { return channels / deformable_groups; }

  // `offsets` are those of the image and group.
  template <typename T>
  TapCorners<T> Corners(const T* offsets, int64_t tap, int64_t pixel) const {
    const T* const move = offsets + 2 * tap * pixels() + pixel;
    const auto place = [](const WindowAxis& axis, int64_t out, int64_t number,
                          T moved) {
      const int64_t at =
          out * axis.stride - axis.before + number * axis.dilation;
      return static_cast<T>(at) + moved;
    };
    const T y =
        place(rows, pixel / columns.output, tap / columns.kernel, move[0]);
    const T x = place(columns, pixel % columns.output, tap % columns.kernel,
                      move[pixels()]);
    TapCorners<T> corners;
    if (!(y > -1 && x > -1 && y < static_cast<T>(rows.input) &&
          x < static_cast<T>(columns.input))) {
      return corners;
    }
    const T top = std::floor(y), left = std::floor(x);
    corners.down = y - top;
    corners.across = x - left;
    const auto row = static_cast<int64_t>(top);
    const auto column = static_cast<int64_t>(left);
    for (int k = 0; k < 4; ++k) {
      const int64_t r = row + k / 2, c = column + k % 2;
      if (r < 0 || c < 0 || r >= rows.input || c >= columns.input) continue;
      corners.pixels[k] = r * columns.input + c;
    }
    return corners;
  }
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_MOVED_TAPS_H_
