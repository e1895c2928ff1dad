// SPDX-License-Identifier: Apache-2.0
// PriorCells: the cells of a feature map, about whose centres the legacy
// kernels of prior_box and density_prior_box lay boxes.
#ifndef SWITCHYARD_PHI_FLUID_PRIOR_CELLS_H_
#define SWITCHYARD_PHI_FLUID_PRIOR_CELLS_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::fluid {

using FloatList = absl::Span<const float>;

// Half the width and half the height of a box, in pixels.
template <typename T>
struct HalfSides {
  T width;
  T height;
};

// A place in the image, in pixels.
template <typename T>
struct BoxCentre {
  T x;
  T y;
};

// The cells of a map [?, ?, height, width] over an image of that form. A step
// of 0 asks for as many pixels as make the cells cover the image.
template <typename T>
class PriorCells {
 public:
  PriorCells(const Shape& map, const Shape& image, T step_w, T step_h, T offset)
      : rows_(map.extent(2)),
        columns_(map.extent(3)),
        height_(static_cast<T>(image.extent(2))),
        width_(static_cast<T>(image.extent(3))),
        offset_(offset),
        step_w_(step_w),
        step_h_(step_h) {
    if (step_w == 0 || step_h == 0) {
      step_w_ = width_ / static_cast<T>(columns_);
      step_h_ = height_ / static_cast<T>(rows_);
    }
  }

  int64_t count() const { return rows_ * columns_; }
  T step_w() const { return step_w_; }
  T step_h() const { return step_h_; }

  BoxCentre<T> centre(int64_t cell) const {
    return {(static_cast<T>(cell % columns_) + offset_) * step_w_,
            (static_cast<T>(cell / columns_) + offset_) * step_h_};
  }
  // Writes a box as parts of the image's extents; returns the place after it.
  T* Write(const BoxCentre<T>& centre, const HalfSides<T>& half, T* box) const {
    *box++ = (centre.x - half.width) / width_;
    *box++ = (centre.y - half.height) / height_;
    *box++ = (centre.x + half.width) / width_;
    *box++ = (centre.y + half.height) / height_;
    return box;
  }

 private:
  int64_t rows_;
  int64_t columns_;
  T height_;
  T width_;
  T offset_;
  T step_w_;
  T step_h_;
};

template <typename T>
void ClipToUnit(int64_t count, T* values) {
  for (int64_t i = 0; i < count; ++i) {
    values[i] = std::min(std::max(values[i], T{0}), T{1});
  }
}

// Gives every box the four variances.
template <typename T>
void RepeatVariances(FloatList variances, DenseTensor* out) {
  T* const to = out->mutable_data<T>();
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = variances[i % 4];
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_PRIOR_CELLS_H_
