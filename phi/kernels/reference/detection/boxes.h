// SPDX-License-Identifier: Apache-2.0
// Reference kernels of arithmetic on boxes.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_BOXES_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_BOXES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/yolo_box.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// One axis of a prior box.
struct PriorSide {
  double length;
  double middle;

  PriorSide(double low, double high, double longer)
      : length(high - low + longer), middle(low + length / 2) {}
};

template <typename S>
inline constexpr auto kBoxCoderSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BoxCoderKernel(const ReferenceContext&,
                            const DenseTensor& prior_box,
                            const DenseTensor* prior_box_var,
                            const DenseTensor& target_box,
                            std::string_view code_type, bool box_normalized,
                            int axis, absl::Span<const float> variance,
                            DenseTensor* output_box) {
  const double longer = box_normalized ? 0 : 1;
  const bool encode = code_type == "encode_center_size";
  for (int64_t i = 0; i < output_box->numel(); ++i) {
    const Index where = Unravel(output_box->shape(), i);
    const int64_t prior = encode || axis == 0 ? where[1] : where[0];
    const int64_t number = where[2], along = number % 2;
    const PriorSide side(At<T>(prior_box, Index{prior, along}),
                         At<T>(prior_box, Index{prior, along + 2}), longer);
    const auto scale = [&](int64_t k) -> double {
      if (prior_box_var != nullptr) {
        return At<T>(*prior_box_var, Index{prior, k});
      }
      return variance.empty() ? 1 : variance[k];
    };
    double result = 0;
    if (encode) {
      const double low = At<T>(target_box, Index{where[0], along});
      const double high = At<T>(target_box, Index{where[0], along + 2});
      result = number < 2
                   ? ((low + high) / 2 - side.middle) / side.length
                   : std::log(std::abs((high - low + longer) / side.length));
      result /= scale(number);
    } else {
      const auto code = [&](int64_t k) {
        return At<T>(target_box, Index{where[0], where[1], k}) * scale(k);
      };
      const double middle = side.middle + code(along) * side.length;
      const double half = std::exp(code(along + 2)) * side.length / 2;
      result = number < 2 ? middle - half : middle + half - longer;
    }
    output_box->mutable_data<T>()[i] = static_cast<T>(result);
  }
  const DenseTensor& sequences = !encode && axis == 1 ? prior_box : target_box;
  output_box->SetLod(sequences.lod());
  return absl::OkStatus();
}

inline double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

template <typename S>
inline constexpr auto kYoloBoxSpec = KernelSpec<S>().AllStrided().Input(
    S::kImgSize, WithAnyStrides(Fixed(DataType::kInt32)));
template <typename T>
absl::Status YoloBoxKernel(const ReferenceContext&, const YoloBoxArgs& args) {
  const int64_t rows = args.x.extent(2), columns = args.x.extent(3);
  const auto count = static_cast<int64_t>(args.anchors.size()) / 2;
  for (int64_t i = 0; i < args.boxes->numel() / 4; ++i) {
    const int64_t image = i / (count * rows * columns);
    const int64_t anchor = i / (rows * columns) % count;
    const int64_t row = i / columns % rows, column = i % columns;
    const auto channel = [&](int64_t k) -> double {
      const int64_t before =
          (args.iou_aware ? count : 0) + anchor * (5 + args.class_num);
      return At<T>(args.x, Index{image, before + k, row, column});
    };
    double sure = Logistic(channel(4));
    if (args.iou_aware) {
      const double iou =
          Logistic(At<T>(args.x, Index{image, anchor, row, column}));
      sure = std::pow(sure, 1 - double(args.iou_aware_factor)) *
             std::pow(iou, double(args.iou_aware_factor));
    }
    const bool there = sure >= double(args.conf_thresh);
    for (int64_t k = 0; k < args.class_num; ++k) {
      args.scores->mutable_data<T>()[i * args.class_num + k] =
          there ? static_cast<T>(sure * Logistic(channel(5 + k))) : T{0};
    }
    for (int64_t k = 0; k < 4; ++k) {
      // Across: column, width; down: row, height.
      const bool across = k % 2 == 0;
      const double cells = double(across ? columns : rows);
      const double pixels =
          At<int32_t>(args.img_size, Index{image, across ? 1 : 0});
      const double middle =
          (double(across ? column : row) +
           Logistic(channel(across ? 0 : 1)) * args.scale_x_y -
           (double(args.scale_x_y) - 1) / 2) *
          pixels / cells;
      const double length = std::exp(channel(across ? 2 : 3)) *
                            args.anchors[2 * anchor + (across ? 0 : 1)] *
                            pixels / (args.downsample_ratio * cells);
      double corner = k < 2 ? middle - length / 2 : middle + length / 2;
      if (args.clip_bbox) {
        corner = k < 2 ? std::max(corner, 0.0) : std::min(corner, pixels - 1);
      }
      args.boxes->mutable_data<T>()[i * 4 + k] =
          there ? static_cast<T>(corner) : T{0};
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kIouSimilaritySpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status IouSimilarityKernel(const ReferenceContext&, const DenseTensor& x,
                                 const DenseTensor& y, bool box_normalized,
                                 DenseTensor* out) {
  const double longer = box_normalized ? 0 : 1;
  for (int64_t i = 0; i < out->numel(); ++i) {
    const int64_t a = i / y.extent(0), b = i % y.extent(0);
    double first = 1, second = 1, shared = 1;
    for (int64_t axis = 0; axis < 2; ++axis) {
      const double low = At<T>(x, Index{a, axis});
      const double high = At<T>(x, Index{a, axis + 2});
      const double other_low = At<T>(y, Index{b, axis});
      const double other_high = At<T>(y, Index{b, axis + 2});
      first *= high - low + longer;
      second *= other_high - other_low + longer;
      shared *= std::max(
          0.0, std::min(high, other_high) - std::max(low, other_low) + longer);
    }
    out->mutable_data<T>()[i] =
        static_cast<T>(shared / (first + second - shared + 1e-10));
  }
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kBoxClipSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BoxClipKernel(const ReferenceContext&, const DenseTensor& input,
                           const DenseTensor& im_info, DenseTensor* output) {
  std::vector<int64_t> lengths = {input.extent(0)};
  if (input.lod() != nullptr) lengths = SequenceLengths(*input.lod()).back();
  if (static_cast<int64_t>(lengths.size()) != im_info.extent(0)) {
    return ArgumentError("im_info", "of a row for each sequence of input",
                         ToString(im_info.shape()));
  }
  int64_t at = 0;
  for (size_t image = 0; image < lengths.size(); ++image) {
    const auto extent = [&](int64_t axis) {
      const auto i = static_cast<int64_t>(image);
      return std::round(double(At<T>(im_info, Index{i, axis})) /
                        double(At<T>(im_info, Index{i, 2})));
    };
    const int64_t size = lengths[image] * input.shape().numel(1, input.rank());
    for (const int64_t end = at + size; at < end; ++at) {
      const double most = extent(at % 2 == 0 ? 1 : 0) - 1;
      output->mutable_data<T>()[at] = static_cast<T>(
          std::max(0.0, std::min(double(At<T>(input, at)), most)));
    }
  }
  output->SetLod(input.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPolygonBoxTransformSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status PolygonBoxTransformKernel(const ReferenceContext&,
                                       const DenseTensor& input,
                                       DenseTensor* output) {
  for (int64_t i = 0; i < input.numel(); ++i) {
    const Index where = Unravel(input.shape(), i);
    const int64_t pixel = where[1] % 2 == 0 ? where[3] : where[2];
    output->mutable_data<T>()[i] =
        static_cast<T>(4 * double(pixel) - double(At<T>(input, i)));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_BOXES_H_
