// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/detection/targets.h"

#include <string>

#include "framework/base/float_text.h"
#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

absl::Status CheckBoxes(std::string_view name, const TensorSpec& boxes,
                        DataType dtype) {
  SY_RETURN_IF_ERROR(CheckShape(name, boxes, Shape({kAny, 4})));
  return CheckDtype(name, boxes, dtype);
}

// One int32 number a row.
absl::Status CheckNumbers(std::string_view name, const TensorSpec& numbers,
                          Dim rows) {
  SY_RETURN_IF_ERROR(CheckDtype(name, numbers, DataType::kInt32));
  return CheckShape(
      name, numbers,
      numbers.shape.rank() == 1 ? Shape({rows}) : Shape({rows, 1}));
}

absl::Status CheckTruth(const TensorSpec& anchor, const TensorSpec& gt_boxes,
                        const TensorSpec& is_crowd, const TensorSpec& im_info) {
  SY_RETURN_IF_ERROR(CheckBoxes("gt_boxes", gt_boxes, anchor.dtype));
  SY_RETURN_IF_ERROR(CheckNumbers("is_crowd", is_crowd, gt_boxes.shape[0]));
  SY_RETURN_IF_ERROR(CheckShape("im_info", im_info, Shape({kAny, 3})));
  return CheckDtype("im_info", im_info, anchor.dtype);
}

absl::Status CheckShare(int batch_size_per_im, double fg_fraction) {
  if (batch_size_per_im < 1) {
    return ArgumentError("batch_size_per_im", "1 or more",
                         std::to_string(batch_size_per_im));
  }
  if (fg_fraction >= 0 && fg_fraction <= 1) return absl::OkStatus();
  return ArgumentError("fg_fraction", "in [0, 1]", ShortestText(fg_fraction));
}

absl::Status SetTargets(DataType dtype, TensorSpec* location_index,
                        TensorSpec* score_index, TensorSpec* target_bbox,
                        TensorSpec* target_label,
                        TensorSpec* bbox_inside_weight) {
  const Shape list({kAny}), column({kAny, 1}), boxes({kAny, 4});
  SY_RETURN_IF_ERROR(SetOutput(location_index, DataType::kInt32, list));
  SY_RETURN_IF_ERROR(SetOutput(score_index, DataType::kInt32, list));
  SY_RETURN_IF_ERROR(SetOutput(target_bbox, dtype, boxes));
  SY_RETURN_IF_ERROR(SetOutput(target_label, DataType::kInt32, column));
  return SetOutput(bbox_inside_weight, dtype, boxes);
}

}  // namespace

absl::Status RpnTargetAssignInferMeta(
    const TensorSpec& anchor, const TensorSpec& gt_boxes,
    const TensorSpec& is_crowd, const TensorSpec& im_info,
    int batch_size_per_im, double fg_fraction, TensorSpec* location_index,
    TensorSpec* score_index, TensorSpec* target_bbox, TensorSpec* target_label,
    TensorSpec* bbox_inside_weight) {
  SY_RETURN_IF_ERROR(CheckShape("anchor", anchor, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(CheckTruth(anchor, gt_boxes, is_crowd, im_info));
  SY_RETURN_IF_ERROR(CheckShare(batch_size_per_im, fg_fraction));
  return SetTargets(anchor.dtype, location_index, score_index, target_bbox,
                    target_label, bbox_inside_weight);
}

absl::Status RetinanetTargetAssignInferMeta(
    const TensorSpec& anchor, const TensorSpec& gt_boxes,
    const TensorSpec& gt_labels, const TensorSpec& is_crowd,
    const TensorSpec& im_info, TensorSpec* location_index,
    TensorSpec* score_index, TensorSpec* target_bbox, TensorSpec* target_label,
    TensorSpec* bbox_inside_weight, TensorSpec* foreground_number) {
  SY_RETURN_IF_ERROR(CheckShape("anchor", anchor, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(CheckTruth(anchor, gt_boxes, is_crowd, im_info));
  SY_RETURN_IF_ERROR(CheckNumbers("gt_labels", gt_labels, gt_boxes.shape[0]));
  SY_RETURN_IF_ERROR(SetTargets(anchor.dtype, location_index, score_index,
                                target_bbox, target_label, bbox_inside_weight));
  return SetOutput(foreground_number, DataType::kInt32,
                   Shape({im_info.shape[0], 1}));
}

absl::Status GenerateProposalLabelsInferMeta(
    const TensorSpec& rpn_rois, const TensorSpec& gt_classes,
    const TensorSpec& is_crowd, const TensorSpec& gt_boxes,
    const TensorSpec& im_info, const TensorSpec* max_overlap,
    int batch_size_per_im, double fg_fraction,
    absl::Span<const float> bbox_reg_weights, int class_nums,
    bool is_cls_agnostic, bool is_cascade_rcnn, TensorSpec* rois,
    TensorSpec* labels, TensorSpec* bbox_targets,
    TensorSpec* bbox_inside_weights, TensorSpec* bbox_outside_weights,
    TensorSpec* max_overlap_with_gt) {
  const DataType dtype = rpn_rois.dtype;
  SY_RETURN_IF_ERROR(CheckShape("rpn_rois", rpn_rois, Shape({kAny, 4})));
  SY_RETURN_IF_ERROR(CheckTruth(rpn_rois, gt_boxes, is_crowd, im_info));
  SY_RETURN_IF_ERROR(CheckNumbers("gt_classes", gt_classes, gt_boxes.shape[0]));
  SY_RETURN_IF_ERROR(CheckShare(batch_size_per_im, fg_fraction));
  if (max_overlap != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("max_overlap", *max_overlap, dtype));
    SY_RETURN_IF_ERROR(
        CheckShape("max_overlap", *max_overlap, Shape({rpn_rois.shape[0]})));
  } else if (is_cascade_rcnn) {
    return ArgumentError("max_overlap", "a tensor for a cascade", "nothing");
  }
  if (bbox_reg_weights.size() != 4) {
    return ArgumentError("bbox_reg_weights", "four numbers",
                         std::to_string(bbox_reg_weights.size()));
  }
  for (const float weight : bbox_reg_weights) {
    if (weight > 0) continue;
    return ArgumentError("bbox_reg_weights", "above 0", ShortestText(weight));
  }
  const int least = is_cls_agnostic ? 2 : 1;
  if (class_nums < least) {
    return ArgumentError("class_nums", std::to_string(least) + " or more",
                         std::to_string(class_nums));
  }
  const Shape targets({kAny, 4 * int64_t{class_nums}});
  SY_RETURN_IF_ERROR(SetSequences(dtype, Shape({kAny, 4}), 1, rois));
  SY_RETURN_IF_ERROR(
      SetSequences(DataType::kInt32, Shape({kAny, 1}), 1, labels));
  SY_RETURN_IF_ERROR(SetSequences(dtype, targets, 1, bbox_targets));
  SY_RETURN_IF_ERROR(SetSequences(dtype, targets, 1, bbox_inside_weights));
  SY_RETURN_IF_ERROR(SetSequences(dtype, targets, 1, bbox_outside_weights));
  return SetSequences(dtype, Shape({kAny}), 1, max_overlap_with_gt);
}

absl::Status DetectionMapInferMeta(
    const TensorSpec& detect_res, const TensorSpec& label,
    const TensorSpec* has_state, const TensorSpec* pos_count,
    const TensorSpec* true_pos, const TensorSpec* false_pos, int class_num,
    std::string_view ap_type, TensorSpec* accum_pos_count,
    TensorSpec* accum_true_pos, TensorSpec* accum_false_pos, TensorSpec* map) {
  const DataType dtype = detect_res.dtype;
  SY_RETURN_IF_ERROR(CheckShape("detect_res", detect_res, Shape({kAny, 6})));
  SY_RETURN_IF_ERROR(CheckDtype("label", label, dtype));
  if (label.shape.rank() != 2 ||
      !(MayEqual(label.shape[1], Dim(6)) || MayEqual(label.shape[1], Dim(5)))) {
    return ArgumentError("label", "of shape [boxes, 6] or [boxes, 5]",
                         ToString(label.shape));
  }
  if (class_num < 1) {
    return ArgumentError("class_num", "1 or more", std::to_string(class_num));
  }
  if (ap_type != "integral" && ap_type != "11point") {
    return ArgumentError("ap_type", "\"integral\" or \"11point\"",
                         Quoted(ap_type));
  }
  if (has_state != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("has_state", *has_state, DataType::kInt32));
    SY_RETURN_IF_ERROR(CheckShape("has_state", *has_state, Shape({1})));
  }
  if (pos_count != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("pos_count", *pos_count, DataType::kInt32));
    SY_RETURN_IF_ERROR(
        CheckShape("pos_count", *pos_count, Shape({class_num, 1})));
    for (const TensorSpec* const rows : {true_pos, false_pos}) {
      const char* const name = rows == true_pos ? "true_pos" : "false_pos";
      if (rows == nullptr) {
        return ArgumentError(name, "a tensor beside pos_count", "nothing");
      }
      SY_RETURN_IF_ERROR(CheckDtype(name, *rows, dtype));
      SY_RETURN_IF_ERROR(CheckShape(name, *rows, Shape({kAny, 2})));
    }
  }
  SY_RETURN_IF_ERROR(SetOutput(map, dtype, Shape({1})));
  SY_RETURN_IF_ERROR(
      SetOutput(accum_pos_count, DataType::kInt32, Shape({class_num, 1})));
  SY_RETURN_IF_ERROR(SetSequences(dtype, Shape({kAny, 2}), 1, accum_true_pos));
  return SetSequences(dtype, Shape({kAny, 2}), 1, accum_false_pos);
}

absl::Status LocalityAwareNmsInferMeta(const TensorSpec& bboxes,
                                       const TensorSpec& scores,
                                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckShape("bboxes", bboxes, Shape({kAny, kAny, 4})));
  SY_RETURN_IF_ERROR(CheckDtype("scores", scores, bboxes.dtype));
  SY_RETURN_IF_ERROR(CheckShape(
      "scores", scores, Shape({bboxes.shape[0], kAny, bboxes.shape[1]})));
  return SetSequences(bboxes.dtype, Shape({kAny, 6}), 1, out);
}

}  // namespace switchyard::phi
