// SPDX-License-Identifier: Apache-2.0
// Reference kernels of prroi_pool and its gradient: each pixel's part in each
// bin, by a formula for the integral of two straight lines.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_PRROI_POOL_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_PRROI_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/prroi_pool_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The image of each box; empty if the numbers are not those of the boxes.
inline std::vector<int64_t> ImagesOfRegions(const DenseTensor& boxes,
                                            const DenseTensor* boxes_num,
                                            int64_t images) {
  std::vector<int64_t> counts = {boxes.extent(0)}, result;
  if (boxes_num != nullptr) {
    counts.clear();
    for (int64_t k = 0; k < boxes_num->numel(); ++k) {
      counts.push_back(IntegerAt(*boxes_num, k));
    }
  } else if (boxes.lod() != nullptr) {
    counts = SequenceLengths(*boxes.lod()).back();
  }
  int64_t sum = 0;
  for (const int64_t count : counts) {
    if (count < 0 || count > boxes.extent(0) - sum) return {};
    sum += count;
  }
  if (sum != boxes.extent(0)) return {};
  if (static_cast<int64_t>(counts.size()) != images) return {};
  for (size_t k = 0; k < counts.size(); ++k) {
    result.insert(result.end(), counts[k], static_cast<int64_t>(k));
  }
  return result;
}

inline absl::Status CheckRegions(const DenseTensor& boxes,
                                 const DenseTensor* boxes_num,
                                 const std::vector<int64_t>& image_of,
                                 int64_t images) {
  if (static_cast<int64_t>(image_of.size()) == boxes.extent(0)) {
    return absl::OkStatus();
  }
  return ArgumentError(boxes_num == nullptr ? "boxes" : "boxes_num",
                       "of " + std::to_string(images) + " images", "others");
}

// The integral from `from` to `to` of max(1 - |v - pixel|, 0), side by side.
inline double PixelPart(double from, double to, double pixel) {
  const auto side = [](double low, double high, double top, double sign) {
    if (!(high > low)) return 0.0;
    // A straight line: its value in the middle, times the length.
    return (high - low) * (1 + sign * ((low + high) / 2 - top));
  };
  return side(std::max(from, pixel - 1), std::min(to, pixel), pixel, 1) +
         side(std::max(from, pixel), std::min(to, pixel + 1), pixel, -1);
}

// Where a bin begins and ends, down and across.
struct BinCorners {
  double from[2];
  double to[2];

  template <typename T>
  static BinCorners Of(const DenseTensor& boxes, const Index& where,
                       const int (&count)[2], double scale) {
    BinCorners bin;
    for (int axis = 0; axis < 2; ++axis) {
      const double low = At<T>(boxes, Index{where[0], 1 - axis}) * scale;
      const double high = At<T>(boxes, Index{where[0], 3 - axis}) * scale;
      const double length = std::max(high - low, 0.0) / count[axis];
      bin.from[axis] = low + double(where[2 + axis]) * length;
      bin.to[axis] = low + double(where[2 + axis] + 1) * length;
    }
    return bin;
  }
  double length(int axis) const { return to[axis] - from[axis]; }
  double area() const { return length(0) * length(1); }
};

// A sum over the pixels of a plane of products of fn(axis, place).
template <typename T, typename Fn>
double SumOfPixels(const DenseTensor& x, int64_t image, int64_t channel,
                   const Fn& fn) {
  double sum = 0;
  for (int64_t i = 0; i < x.extent(2); ++i) {
    for (int64_t k = 0; k < x.extent(3); ++k) {
      const double part = fn(0, double(i)) * fn(1, double(k));
      if (part != 0)
        sum += part * double(At<T>(x, Index{image, channel, i, k}));
    }
  }
  return sum;
}

template <typename S>
inline constexpr auto kPrroiPoolSpec = KernelSpec<S>().AllStrided().Input(
    S::kBoxesNum, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status PrroiPoolKernel(const ReferenceContext&, const DenseTensor& x,
                             const DenseTensor& boxes,
                             const DenseTensor* boxes_num, int pooled_height,
                             int pooled_width, double spatial_scale,
                             DenseTensor* out) {
  const auto image_of = ImagesOfRegions(boxes, boxes_num, x.extent(0));
  SY_RETURN_IF_ERROR(CheckRegions(boxes, boxes_num, image_of, x.extent(0)));
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index where = Unravel(out->shape(), i);
    const auto bin = BinCorners::Of<T>(
        boxes, where, {pooled_height, pooled_width}, spatial_scale);
    const double sum = SumOfPixels<T>(
        x, image_of[where[0]], where[1], [&](int axis, double place) {
          return PixelPart(bin.from[axis], bin.to[axis], place);
        });
    out->mutable_data<T>()[i] =
        static_cast<T>(bin.area() > 0 ? sum / bin.area() : 0);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPrroiPoolGradSpec = KernelSpec<S>().AllStrided().Input(
    S::kBoxesNum, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status PrroiPoolGradKernel(const ReferenceContext&,
                                 const PrroiPoolGradArgs& args) {
  const DenseTensor& x = args.x;
  const auto image_of =
      ImagesOfRegions(args.boxes, args.boxes_num, x.extent(0));
  SY_RETURN_IF_ERROR(
      CheckRegions(args.boxes, args.boxes_num, image_of, x.extent(0)));
  std::vector<double> pixels(x.numel()), corners(args.boxes.numel());
  const int count[2] = {args.pooled_height, args.pooled_width};
  for (int64_t i = 0; i < args.out_grad.numel(); ++i) {
    const Index where = Unravel(args.out_grad.shape(), i);
    const auto bin =
        BinCorners::Of<T>(args.boxes, where, count, args.spatial_scale);
    if (!(bin.area() > 0)) continue;
    const double grad = double(At<T>(args.out_grad, i)) / bin.area();
    const int64_t image = image_of[where[0]];
    const auto part = [&](int axis, double place) {
      return PixelPart(bin.from[axis], bin.to[axis], place);
    };
    for (int64_t y = 0; y < x.extent(2); ++y) {
      for (int64_t z = 0; z < x.extent(3); ++z) {
        pixels[Ravel(x.shape(), Index{image, where[1], y, z})] +=
            grad * part(0, double(y)) * part(1, double(z));
      }
    }
    const double sum = SumOfPixels<T>(x, image, where[1], part);
    for (int axis = 0; axis < 2; ++axis) {
      // The plane's values along one side of the bin.
      const auto side = [&](double edge) {
        return SumOfPixels<T>(x, image, where[1], [&](int a, double place) {
          return a == axis ? std::max(1 - std::abs(edge - place), 0.0)
                           : part(a, place);
        });
      };
      const double mean = sum / bin.length(axis);
      const double by[2] = {grad * (mean - side(bin.from[axis])),
                            grad * (side(bin.to[axis]) - mean)};
      for (int end = 0; end < 2; ++end) {
        const double share = double(where[2 + axis] + end) / count[axis];
        const int64_t at = where[0] * 4 + 1 - axis;
        corners[at] += by[end] * (1 - share) * args.spatial_scale;
        corners[at + 2] += by[end] * share * args.spatial_scale;
      }
    }
  }
  for (int64_t i = 0; args.x_grad != nullptr && i < x.numel(); ++i) {
    args.x_grad->mutable_data<T>()[i] = static_cast<T>(pixels[i]);
  }
  for (int64_t i = 0; args.boxes_grad != nullptr && i < args.boxes.numel();
       ++i) {
    args.boxes_grad->mutable_data<T>()[i] = static_cast<T>(corners[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_PRROI_POOL_H_
