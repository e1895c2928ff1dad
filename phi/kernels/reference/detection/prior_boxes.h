// SPDX-License-Identifier: Apache-2.0
// Reference kernels of boxes over the cells of a feature map.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PRIOR_BOXES_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PRIOR_BOXES_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/density_prior_box.args.gen.h"
#include "phi/core/signatures/prior_box.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

using Floats = absl::Span<const float>;
using BoxNumbers = std::array<double, 4>;

// A box about a centre.
inline BoxNumbers Around(double x, double y, double width, double height) {
  return {x - width / 2, y - height / 2, x + width / 2, y + height / 2};
}

// Writes boxes of all cells, and the variances of each.
template <typename T>
void WriteBoxes(const std::vector<BoxNumbers>& boxes, Floats variances,
                DenseTensor* out, DenseTensor* var) {
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (int k = 0; k < 4; ++k) {
      out->mutable_data<T>()[i * 4 + k] = static_cast<T>(boxes[i][k]);
      var->mutable_data<T>()[i * 4 + k] = static_cast<T>(variances[k]);
    }
  }
}

// The steps (across, down) from cell to cell, in pixels.
inline std::array<double, 2> Steps(const DenseTensor& input,
                                   const DenseTensor& image, double step_w,
                                   double step_h) {
  if (step_w != 0 && step_h != 0) return {step_w, step_h};
  return {double(image.extent(3)) / double(input.extent(3)),
          double(image.extent(2)) / double(input.extent(2))};
}

template <typename S>
inline constexpr auto kPriorBoxSpec =
    KernelSpec<S>().AllStrided().Input(S::kImage, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status PriorBoxKernel(const ReferenceContext&, const PriorBoxArgs& args) {
  std::vector<double> ratios = {1};
  const auto add = [&](double ratio, double listed) {
    for (const double other : ratios) {
      if (std::fabs(other - listed) < 1e-6) return false;
    }
    ratios.push_back(ratio);
    return true;
  };
  for (const float ratio : args.aspect_ratios) {
    if (add(ratio, ratio) && args.flip) ratios.push_back(1.0f / ratio);
  }
  const std::array<double, 2> steps =
      Steps(args.input, args.image, args.step_w, args.step_h);
  const double width = double(args.image.extent(3));
  const double height = double(args.image.extent(2));
  std::vector<BoxNumbers> boxes;
  for (int64_t row = 0; row < args.input.extent(2); ++row) {
    for (int64_t column = 0; column < args.input.extent(3); ++column) {
      const double x = (double(column) + args.offset) * steps[0];
      const double y = (double(row) + args.offset) * steps[1];
      for (size_t i = 0; i < args.min_sizes.size(); ++i) {
        std::vector<BoxNumbers> some;
        for (const double ratio : ratios) {
          some.push_back(Around(x, y, args.min_sizes[i] * std::sqrt(ratio),
                                args.min_sizes[i] / std::sqrt(ratio)));
        }
        if (!args.max_sizes.empty()) {
          const double side =
              std::sqrt(double(args.min_sizes[i]) * args.max_sizes[i]);
          some.insert(
              args.min_max_aspect_ratios_order ? some.begin() + 1 : some.end(),
              Around(x, y, side, side));
        }
        boxes.insert(boxes.end(), some.begin(), some.end());
      }
    }
  }
  for (BoxNumbers& box : boxes) {
    for (int k = 0; k < 4; ++k) {
      box[k] /= k % 2 == 0 ? width : height;
      if (args.clip) box[k] = std::clamp(box[k], 0.0, 1.0);
    }
  }
  WriteBoxes<T>(boxes, args.variances, args.out, args.var);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDensityPriorBoxSpec =
    KernelSpec<S>().AllStrided().Input(S::kImage, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status DensityPriorBoxKernel(const ReferenceContext&,
                                   const DensityPriorBoxArgs& args) {
  const std::array<double, 2> steps =
      Steps(args.input, args.image, args.step_w, args.step_h);
  const auto square = static_cast<int64_t>((steps[0] + steps[1]) / 2);
  const double width = double(args.image.extent(3));
  const double height = double(args.image.extent(2));
  std::vector<BoxNumbers> boxes;
  for (int64_t cell = 0; cell < args.input.extent(2) * args.input.extent(3);
       ++cell) {
    const double x =
        (double(cell % args.input.extent(3)) + args.offset) * steps[0];
    const double y =
        (double(cell / args.input.extent(3)) + args.offset) * steps[1];
    for (size_t i = 0; i < args.fixed_sizes.size(); ++i) {
      const int64_t shift = square / args.densities[i];
      for (const float ratio : args.fixed_ratios) {
        const double root = std::sqrt(double(ratio));
        for (int down = 0; down < args.densities[i]; ++down) {
          for (int across = 0; across < args.densities[i]; ++across) {
            const double before = double(shift - square) / 2;
            boxes.push_back(Around(x + before + double(across * shift),
                                   y + before + double(down * shift),
                                   args.fixed_sizes[i] * root,
                                   args.fixed_sizes[i] / root));
          }
        }
      }
    }
  }
  for (BoxNumbers& box : boxes) {
    for (int k = 0; k < 4; ++k) {
      box[k] /= k % 2 == 0 ? width : height;
      if (k < 2 || args.clip) box[k] = std::max(box[k], 0.0);
      if (k >= 2 || args.clip) box[k] = std::min(box[k], 1.0);
    }
  }
  WriteBoxes<T>(boxes, args.variances, args.out, args.var);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAnchorGeneratorSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AnchorGeneratorKernel(const ReferenceContext&,
                                   const DenseTensor& input,
                                   Floats anchor_sizes, Floats aspect_ratios,
                                   Floats variances, Floats stride,
                                   float offset, DenseTensor* anchors,
                                   DenseTensor* variances_out) {
  std::vector<BoxNumbers> boxes;
  for (int64_t cell = 0; cell < input.extent(2) * input.extent(3); ++cell) {
    const double x = double(cell % input.extent(3)) * stride[0] +
                     offset * (double(stride[0]) - 1);
    const double y = double(cell / input.extent(3)) * stride[1] +
                     offset * (double(stride[1]) - 1);
    for (const double ratio : aspect_ratios) {
      const double width =
          std::round(std::sqrt(double(stride[0]) * stride[1] / ratio));
      const double height = std::round(width * ratio);
      for (const double size : anchor_sizes) {
        // From the middle of the first pixel to that of the last.
        boxes.push_back(Around(x, y, size / stride[0] * width - 1,
                               size / stride[1] * height - 1));
      }
    }
  }
  WriteBoxes<T>(boxes, variances, anchors, variances_out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PRIOR_BOXES_H_
