// SPDX-License-Identifier: Apache-2.0
// Boxes about the centres of the cells of a feature map, on the CPU: prior_box,
// density_prior_box and anchor_generator.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PRIOR_BOXES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PRIOR_BOXES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/density_prior_box.args.gen.h"
#include "phi/core/signatures/prior_box.args.gen.h"

namespace switchyard::phi::kernels::cpu {

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

// out of sizes and ratios about the centre of each cell of input, as parts of
// the extents of image.
template <typename T>
class PriorBox {
 public:
  static absl::Status Run(const PriorBoxArgs& args) {
    const DenseTensor& input = args.input;
    const DenseTensor& image = args.image;
    const float step_w = args.step_w;
    const float step_h = args.step_h;
    const float offset = args.offset;
    const bool clip = args.clip;
    const FloatList variances = args.variances;
    const std::vector<HalfSides<T>> halves = Halves(args);
    const PriorCells<T> cells(input.shape(), image.shape(), step_w, step_h,
                              offset);
    DenseTensor* out = args.out;
    const auto count = static_cast<int64_t>(halves.size());
    T* const to = out->mutable_data<T>();
    ParallelFor(0, cells.count(), 256, [&](int64_t begin, int64_t end) {
      for (int64_t cell = begin; cell < end; ++cell) {
        T* box = to + cell * count * 4;
        for (const HalfSides<T>& half : halves) {
          box = cells.Write(cells.centre(cell), half, box);
        }
      }
    });
    if (clip) ClipToUnit(out->numel(), to);
    RepeatVariances<T>(variances, args.var);
    return absl::OkStatus();
  }

 private:
  // Half the sides of a cell's boxes, in their order.
  static std::vector<HalfSides<T>> Halves(const PriorBoxArgs& args) {
    const FloatList smallest = args.min_sizes;
    const FloatList largest = args.max_sizes;
    const FloatList listed = args.aspect_ratios;
    const bool flip = args.flip;
    const bool sizes_first = args.min_max_aspect_ratios_order;
    const std::vector<float> ratios = Ratios(listed, flip);
    std::vector<HalfSides<T>> halves;
    for (size_t i = 0; i < smallest.size(); ++i) {
      const T size = smallest[i];
      const auto add_square = [&] {
        if (largest.empty()) return;
        const T side = std::sqrt(size * static_cast<T>(largest[i])) / 2;
        halves.push_back({side, side});
      };
      for (size_t k = 0; k < ratios.size(); ++k) {
        const T root = std::sqrt(static_cast<T>(ratios[k]));
        halves.push_back({size * root / 2, size / root / 2});
        if (k == 0 && sizes_first) add_square();
      }
      if (!sizes_first) add_square();
    }
    return halves;
  }

  // 1, and those listed (with their reciprocals) that are not near another.
  static std::vector<float> Ratios(FloatList listed, bool flip) {
    std::vector<float> ratios = {1.0f};
    for (const float ratio : listed) {
      const bool known = std::any_of(
          ratios.begin(), ratios.end(),
          [&](float other) { return std::fabs(ratio - other) < 1e-6; });
      if (known) continue;
      ratios.push_back(ratio);
      if (flip) ratios.push_back(1 / ratio);
    }
    return ratios;
  }
};

template <typename S>
inline constexpr auto kPriorBoxSpec =
    KernelSpec<S>().AllStrided().Input(S::kImage, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status PriorBoxKernel(const CpuContext&, const PriorBoxArgs& args) {
  return PriorBox<T>::Run(args);
}

// About each cell of input a grid of boxes for each size and ratio, `density`
// of them along each side, within the image.
template <typename T>
class DensityPriorBox {
 public:
  static absl::Status Run(const DensityPriorBoxArgs& args) {
    const DenseTensor& input = args.input;
    const DenseTensor& image = args.image;
    const float step_w = args.step_w;
    const float step_h = args.step_h;
    const float offset = args.offset;
    const bool clip = args.clip;
    const FloatList variances = args.variances;
    Grids grids;
    grids.sizes = args.fixed_sizes;
    grids.ratios = args.fixed_ratios;
    grids.densities = args.densities;
    const PriorCells<T> cells(input.shape(), image.shape(), step_w, step_h,
                              offset);
    // out lie on whole pixels of a square as wide as the mean of the steps.
    grids.side = std::trunc((cells.step_w() + cells.step_h()) * T{0.5});
    DenseTensor* out = args.out;
    if (out->numel() > 0) {
      T* const to = out->mutable_data<T>();
      const int64_t size = out->numel() / cells.count();
      ParallelFor(0, cells.count(), 64, [&](int64_t begin, int64_t end) {
        for (int64_t cell = begin; cell < end; ++cell) {
          WriteCell(cells, grids, cells.centre(cell), to + cell * size);
        }
      });
      ClipToImage(out->numel(), to);
      if (clip) ClipToUnit(out->numel(), to);
    }
    RepeatVariances<T>(variances, args.var);
    return absl::OkStatus();
  }

 private:
  struct Grids {
    FloatList sizes;
    FloatList ratios;
    absl::Span<const int> densities;
    T side;
  };

  static void WriteCell(const PriorCells<T>& cells, const Grids& grids,
                        const BoxCentre<T>& centre, T* box) {
    for (size_t i = 0; i < grids.sizes.size(); ++i) {
      const int density = grids.densities[i];
      const T shift = std::trunc(grids.side / static_cast<T>(density));
      const T before = -grids.side / 2 + shift / 2;
      for (const float ratio : grids.ratios) {
        const T root = std::sqrt(static_cast<T>(ratio));
        const T size = grids.sizes[i];
        const HalfSides<T> half = {size * root / 2, size / root / 2};
        for (int64_t k = 0; k < int64_t{density} * density; ++k) {
          const auto row = static_cast<T>(k / density);
          const auto column = static_cast<T>(k % density);
          box = cells.Write({centre.x + before + column * shift,
                             centre.y + before + row * shift},
                            half, box);
        }
      }
    }
  }

  // The corners at the top left are at least 0, the others at most 1.
  static void ClipToImage(int64_t count, T* values) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] =
          i % 4 < 2 ? std::max(values[i], T{0}) : std::min(values[i], T{1});
    }
  }
};

template <typename S>
inline constexpr auto kDensityPriorBoxSpec =
    KernelSpec<S>().AllStrided().Input(S::kImage, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status DensityPriorBoxKernel(const CpuContext&,
                                   const DensityPriorBoxArgs& args) {
  return DensityPriorBox<T>::Run(args);
}

// Boxes in pixels about the centre of each cell of input, by ratio and size.
template <typename T>
class AnchorGenerator {
 public:
  static absl::Status Run(const DenseTensor& input,
                          absl::Span<const float> anchor_sizes,
                          absl::Span<const float> aspect_ratios,
                          absl::Span<const float> variances,
                          absl::Span<const float> stride, float offset,
                          DenseTensor* anchors, DenseTensor* variances_out) {
    const Shape& map = input.shape();
    const std::vector<HalfSides<T>> halves =
        Halves(anchor_sizes, aspect_ratios, stride);
    const int64_t rows = map.extent(2), columns = map.extent(3);
    const auto count = static_cast<int64_t>(halves.size());
    T* const to = anchors->mutable_data<T>();
    ParallelFor(0, rows * columns, 256, [&](int64_t begin, int64_t end) {
      for (int64_t cell = begin; cell < end; ++cell) {
        const T x = Centre(cell % columns, stride[0], offset);
        const T y = Centre(cell / columns, stride[1], offset);
        T* box = to + cell * count * 4;
        for (const HalfSides<T>& half : halves) {
          *box++ = x - half.width;
          *box++ = y - half.height;
          *box++ = x + half.width;
          *box++ = y + half.height;
        }
      }
    });
    RepeatVariances<T>(variances, variances_out);
    return absl::OkStatus();
  }

 private:
  static T Centre(int64_t cell, T stride, T offset) {
    return static_cast<T>(cell) * stride + offset * (stride - 1);
  }

  // Half the way from the first to the last pixel of each anchor.
  static std::vector<HalfSides<T>> Halves(absl::Span<const float> anchor_sizes,
                                          absl::Span<const float> aspect_ratios,
                                          absl::Span<const float> stride) {
    const T stride_w = stride[0], stride_h = stride[1];
    std::vector<HalfSides<T>> halves;
    for (const float ratio : aspect_ratios) {
      const T width =
          std::round(std::sqrt(stride_w * stride_h / static_cast<T>(ratio)));
      const T height = std::round(width * static_cast<T>(ratio));
      for (const float size : anchor_sizes) {
        const auto side = static_cast<T>(size);
        halves.push_back({(side / stride_w * width - 1) / 2,
                          (side / stride_h * height - 1) / 2});
      }
    }
    return halves;
  }
};

template <typename S>
inline constexpr auto kAnchorGeneratorSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AnchorGeneratorKernel(const CpuContext&, const DenseTensor& input,
                                   absl::Span<const float> anchor_sizes,
                                   absl::Span<const float> aspect_ratios,
                                   absl::Span<const float> variances,
                                   absl::Span<const float> stride, float offset,
                                   DenseTensor* anchors,
                                   DenseTensor* variances_out) {
  return AnchorGenerator<T>::Run(input, anchor_sizes, aspect_ratios, variances,
                                 stride, offset, anchors, variances_out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PRIOR_BOXES_H_
