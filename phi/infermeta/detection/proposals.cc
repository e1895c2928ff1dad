// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/detection/proposals.h"

#include <string>

#include "framework/base/float_text.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

// The rule of both, for an image that `numbers` numbers describe.
absl::Status Generate(const TensorSpec& scores, const TensorSpec& bbox_deltas,
                      std::string_view image, const TensorSpec& im_shape,
                      int64_t numbers, const TensorSpec& anchors,
                      const TensorSpec& variances, float nms_thresh, float eta,
                      TensorSpec* rpn_rois, TensorSpec* rpn_roi_probs,
                      TensorSpec* rpn_rois_num) {
  SY_RETURN_IF_ERROR(
      CheckShape("scores", scores, Shape({kAny, kAny, kAny, kAny})));
  const Dim images = scores.shape[0], count = scores.shape[1];
  SY_ASSIGN_OR_RETURN(const Dim deltas, Multiply(count, Dim(4)));
  SY_RETURN_IF_ERROR(
      CheckShape("bbox_deltas", bbox_deltas,
                 Shape({images, deltas, scores.shape[2], scores.shape[3]})));
  SY_RETURN_IF_ERROR(CheckShape(image, im_shape, Shape({images, numbers})));
  const Shape boxes({scores.shape[2], scores.shape[3], count, 4});
  SY_RETURN_IF_ERROR(CheckShape("anchors", anchors, boxes));
  SY_RETURN_IF_ERROR(CheckShape("variances", variances, boxes));
  SY_RETURN_IF_ERROR(CheckDtype("bbox_deltas", bbox_deltas, scores.dtype));
  SY_RETURN_IF_ERROR(CheckDtype(image, im_shape, scores.dtype));
  SY_RETURN_IF_ERROR(CheckDtype("anchors", anchors, scores.dtype));
  SY_RETURN_IF_ERROR(CheckDtype("variances", variances, scores.dtype));
  if (nms_thresh != nms_thresh) {
    return ArgumentError("nms_thresh", "a number", ShortestText(nms_thresh));
  }
  if (!(eta > 0 && eta <= 1)) {
    return ArgumentError("eta", "in (0, 1]", ShortestText(eta));
  }
  SY_RETURN_IF_ERROR(SetOutput(rpn_rois, scores.dtype, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(SetOutput(rpn_roi_probs, scores.dtype, Shape({kAny, 1})));
  return SetOutput(rpn_rois_num, DataType::kInt32, Shape({images}));
}

}  // namespace

absl::Status GenerateProposalsInferMeta(
    const TensorSpec& scores, const TensorSpec& bbox_deltas,
    const TensorSpec& im_shape, const TensorSpec& anchors,
    const TensorSpec& variances, float nms_thresh, float eta,
    TensorSpec* rpn_rois, TensorSpec* rpn_roi_probs, TensorSpec* rpn_rois_num) {
  return Generate(scores, bbox_deltas, "im_shape", im_shape, 2, anchors,
                  variances, nms_thresh, eta, rpn_rois, rpn_roi_probs,
                  rpn_rois_num);
}

absl::Status LegacyGenerateProposalsInferMeta(
    const TensorSpec& scores, const TensorSpec& bbox_deltas,
    const TensorSpec& im_info, const TensorSpec& anchors,
    const TensorSpec& variances, float nms_thresh, float eta,
    TensorSpec* rpn_rois, TensorSpec* rpn_roi_probs, TensorSpec* rpn_rois_num) {
  SY_RETURN_IF_ERROR(Generate(scores, bbox_deltas, "im_info", im_info, 3,
                              anchors, variances, nms_thresh, eta, rpn_rois,
                              rpn_roi_probs, rpn_rois_num));
  if (rpn_rois != nullptr) rpn_rois->lod_levels = 1;
  if (rpn_roi_probs != nullptr) rpn_roi_probs->lod_levels = 1;
  return absl::OkStatus();
}

absl::Status DistributeFpnProposalsInferMeta(const TensorSpec& fpn_rois,
                                             const TensorSpec* rois_num,
                                             absl::Span<const int> levels,
                                             int refer_level, int refer_scale,
                                             MetaOutputs multi_fpn_rois,
                                             TensorSpec* restore_index,
                                             MetaOutputs multi_level_rois_num) {
  SY_RETURN_IF_ERROR(CheckShape("fpn_rois", fpn_rois, Shape({kAny, 4})));
  if (rois_num != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("rois_num", *rois_num, DataType::kInt32));
    SY_RETURN_IF_ERROR(CheckShape("rois_num", *rois_num, Shape({kAny})));
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] == levels[0] + static_cast<int>(i)) continue;
    return ArgumentError(
        "levels", "one number after the other",
        std::to_string(levels[i]) + " after " + std::to_string(levels[i - 1]));
  }
  if (levels.empty()) return ArgumentError("levels", "one or more", "none");
  if (refer_level < levels.front() || refer_level > levels.back()) {
    return ArgumentError("refer_level", "among levels",
                         std::to_string(refer_level));
  }
  if (refer_scale <= 0) {
    return ArgumentError("refer_scale", "above 0", std::to_string(refer_scale));
  }
  // Without sequences and numbers, all regions are of one image.
  const Dim images =
      rois_num != nullptr ? rois_num->shape[0] : SequenceCount(fpn_rois);
  for (size_t i = 0; i < multi_fpn_rois.size(); ++i) {
    SY_RETURN_IF_ERROR(
        SetSequences(fpn_rois.dtype, Shape({kAny, 4}), 1, multi_fpn_rois[i]));
  }
  for (size_t i = 0; i < multi_level_rois_num.size(); ++i) {
    SY_RETURN_IF_ERROR(
        SetOutput(multi_level_rois_num[i], DataType::kInt32, Shape({images})));
  }
  return SetOutput(restore_index, DataType::kInt32,
                   Shape({fpn_rois.shape[0], 1}));
}

absl::Status CollectFpnProposalsInferMeta(MetaList multi_level_rois,
                                          MetaList multi_level_scores,
                                          MetaList multi_level_rois_num,
                                          int post_nms_topn,
                                          TensorSpec* fpn_rois,
                                          TensorSpec* rois_num) {
  const size_t levels = multi_level_rois.size();
  if (levels == 0) {
    return ArgumentError("multi_level_rois", "one tensor or more", "none");
  }
  if (multi_level_scores.size() != levels) {
    return ArgumentError("multi_level_scores",
                         std::to_string(levels) + " tensors",
                         std::to_string(multi_level_scores.size()));
  }
  const size_t numbers = multi_level_rois_num.size();
  if (numbers != 0 && numbers != levels) {
    return ArgumentError("multi_level_rois_num",
                         std::to_string(levels) + " tensors or none",
                         std::to_string(numbers));
  }
  if (post_nms_topn < 0) {
    return ArgumentError("post_nms_topn", "0 or more",
                         std::to_string(post_nms_topn));
  }
  const DataType dtype = multi_level_rois[0].dtype;
  Dim images = SequenceCount(multi_level_rois[0]);
  for (size_t i = 0; i < levels; ++i) {
    const TensorSpec& rois = multi_level_rois[i];
    const TensorSpec& scores = multi_level_scores[i];
    SY_RETURN_IF_ERROR(CheckShape("multi_level_rois", rois, Shape({kAny, 4})));
    SY_RETURN_IF_ERROR(CheckDtype("multi_level_rois", rois, dtype));
    SY_RETURN_IF_ERROR(CheckDtype("multi_level_scores", scores, dtype));
    const Dim count = rois.shape[0];
    SY_RETURN_IF_ERROR(CheckShape(
        "multi_level_scores", scores,
        scores.shape.rank() == 1 ? Shape({count}) : Shape({count, 1})));
  }
  for (size_t i = 0; i < numbers; ++i) {
    const TensorSpec& number = multi_level_rois_num[i];
    SY_RETURN_IF_ERROR(
        CheckDtype("multi_level_rois_num", number, DataType::kInt32));
    SY_RETURN_IF_ERROR(
        CheckShape("multi_level_rois_num", number,
                   Shape({i == 0 ? kAny : multi_level_rois_num[0].shape[0]})));
    images = number.shape[0];
  }
  SY_RETURN_IF_ERROR(SetSequences(dtype, Shape({kAny, 4}), 1, fpn_rois));
  return SetOutput(rois_num, DataType::kInt32, Shape({images}));
}

}  // namespace switchyard::phi
