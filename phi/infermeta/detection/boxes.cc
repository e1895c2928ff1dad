// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/detection/boxes.h"

#include <string>

#include "framework/base/float_text.h"
#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

absl::Status CheckVariance(const TensorSpec& prior_box,
                           const TensorSpec* prior_box_var,
                           absl::Span<const float> variance) {
  if (prior_box_var != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtype("prior_box_var", *prior_box_var, prior_box.dtype));
    SY_RETURN_IF_ERROR(
        CheckShape("prior_box_var", *prior_box_var, prior_box.shape));
    if (variance.empty()) return absl::OkStatus();
    return ArgumentError("variance", "left out beside prior_box_var",
                         std::to_string(variance.size()) + " numbers");
  }
  if (variance.empty() || variance.size() == 4) return absl::OkStatus();
  return ArgumentError("variance", "4 numbers or none",
                       std::to_string(variance.size()));
}

}  // namespace

absl::Status BoxCoderInferMeta(const TensorSpec& prior_box,
                               const TensorSpec* prior_box_var,
                               const TensorSpec& target_box,
                               std::string_view code_type, int axis,
                               absl::Span<const float> variance,
                               TensorSpec* output_box) {
  SY_RETURN_IF_ERROR(CheckShape("prior_box", prior_box, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(CheckVariance(prior_box, prior_box_var, variance));
  SY_RETURN_IF_ERROR(CheckDtype("target_box", target_box, prior_box.dtype));
  const Dim priors = prior_box.shape[0];
  if (code_type == "encode_center_size") {
    SY_RETURN_IF_ERROR(CheckShape("target_box", target_box, Shape({kAny, 4})));
    return SetSequences(prior_box.dtype,
                        Shape({target_box.shape[0], priors, 4}),
                        target_box.lod_levels, output_box);
  }
  if (code_type != "decode_center_size") {
    return ArgumentError("code_type",
                         "\"encode_center_size\" or \"decode_center_size\"",
                         Quoted(code_type));
  }
  if (axis != 0 && axis != 1) {
    return ArgumentError("axis", "0 or 1", std::to_string(axis));
  }
  Shape shape({kAny, kAny, 4});
  shape[1 - axis] = priors;
  SY_RETURN_IF_ERROR(CheckShape("target_box", target_box, shape));
  shape[axis] = target_box.shape[axis];
  shape[1 - axis] = MoreKnown(priors, target_box.shape[1 - axis]);
  const TensorSpec& sequences = axis == 1 ? prior_box : target_box;
  return SetSequences(prior_box.dtype, shape, sequences.lod_levels, output_box);
}

absl::Status YoloBoxInferMeta(const TensorSpec& x, const TensorSpec& img_size,
                              absl::Span<const int> anchors, int class_num,
                              int downsample_ratio, bool iou_aware,
                              float iou_aware_factor, TensorSpec* boxes,
                              TensorSpec* scores) {
  if (anchors.empty() || anchors.size() % 2 != 0) {
    return ArgumentError("anchors", "pairs of a width and a height",
                         std::to_string(anchors.size()) + " numbers");
  }
  for (const int side : anchors) {
    if (side <= 0) {
      return ArgumentError("anchors", "above 0", std::to_string(side));
    }
  }
  if (class_num <= 0) {
    return ArgumentError("class_num", "above 0", std::to_string(class_num));
  }
  if (downsample_ratio <= 0) {
    return ArgumentError("downsample_ratio", "above 0",
                         std::to_string(downsample_ratio));
  }
  if (iou_aware && !(iou_aware_factor >= 0 && iou_aware_factor <= 1)) {
    return ArgumentError("iou_aware_factor", "in [0, 1]",
                         ShortestText(iou_aware_factor));
  }
  const auto count = static_cast<int64_t>(anchors.size() / 2);
  const int64_t numbers = int64_t{class_num} + (iou_aware ? 6 : 5);
  SY_ASSIGN_OR_RETURN(const Dim channels, Multiply(Dim(count), Dim(numbers)));
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, channels, kAny, kAny})));
  SY_RETURN_IF_ERROR(CheckDtype("img_size", img_size, DataType::kInt32));
  SY_RETURN_IF_ERROR(CheckShape("img_size", img_size, Shape({x.shape[0], 2})));
  const Dim cells[] = {x.shape[2], x.shape[3], Dim(count)};
  SY_ASSIGN_OR_RETURN(const Dim all, Product(cells));
  const Dim images = MoreKnown(x.shape[0], img_size.shape[0]);
  SY_RETURN_IF_ERROR(SetOutput(boxes, x.dtype, Shape({images, all, 4})));
  return SetOutput(scores, x.dtype, Shape({images, all, class_num}));
}

absl::Status IouSimilarityInferMeta(const TensorSpec& x, const TensorSpec& y,
                                    TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(CheckShape("y", y, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  return SetSequences(x.dtype, Shape({x.shape[0], y.shape[0]}), x.lod_levels,
                      out);
}

absl::Status BoxClipInferMeta(const TensorSpec& input,
                              const TensorSpec& im_info, TensorSpec* output) {
  const int rank = input.shape.rank();
  if (rank < 2 || !MayEqual(input.shape[rank - 1], Dim(4))) {
    return ArgumentError("input", "of rank 2 or more and last extent 4",
                         ToString(input.shape));
  }
  SY_RETURN_IF_ERROR(CheckShape("im_info", im_info, Shape({kAny, 3})));
  SY_RETURN_IF_ERROR(CheckDtype("im_info", im_info, input.dtype));
  return SetSequences(input.dtype, input.shape, input.lod_levels, output);
}

absl::Status PolygonBoxTransformInferMeta(const TensorSpec& input,
                                          TensorSpec* output) {
  SY_RETURN_IF_ERROR(CheckRank("input", input, 4));
  const Dim channels = input.shape[1];
  if (channels.known() && channels.value() % 2 != 0) {
    return ArgumentError("input", "of an even number of channels",
                         ToString(channels));
  }
  return SetOutput(output, input.dtype, input.shape);
}

}  // namespace switchyard::phi
