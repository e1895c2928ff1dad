// SPDX-License-Identifier: Apache-2.0
// InferMeta of examples for the training of detectors, and of figures of merit.
#ifndef SWITCHYARD_PHI_INFERMETA_DETECTION_TARGETS_H_
#define SWITCHYARD_PHI_INFERMETA_DETECTION_TARGETS_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// anchor: [anchors, 4]. gt_boxes: [boxes, 4]. is_crowd: int32 [boxes]. im_info:
// [images, 3]. Results have any number of rows: indices int32 [?], target_label
// int32 [?, 1], the others [?, 4] of anchor's dtype.
absl::Status RpnTargetAssignInferMeta(
    const TensorSpec& anchor, const TensorSpec& gt_boxes,
    const TensorSpec& is_crowd, const TensorSpec& im_info,
    int batch_size_per_im, double fg_fraction, TensorSpec* location_index,
    TensorSpec* score_index, TensorSpec* target_bbox, TensorSpec* target_label,
    TensorSpec* bbox_inside_weight);

// Does what RpnTargetAssignInferMeta does, with gt_labels int32 [boxes, 1] or
// [boxes]; foreground_number: int32 [images, 1].
absl::Status RetinanetTargetAssignInferMeta(
    const TensorSpec& anchor, const TensorSpec& gt_boxes,
    const TensorSpec& gt_labels, const TensorSpec& is_crowd,
    const TensorSpec& im_info, TensorSpec* location_index,
    TensorSpec* score_index, TensorSpec* target_bbox, TensorSpec* target_label,
    TensorSpec* bbox_inside_weight, TensorSpec* foreground_number);

// rpn_rois: [regions, 4]. gt_classes, is_crowd: int32 [boxes] or [boxes, 1].
// max_overlap: [regions], needed if is_cascade_rcnn, else it may be null.
absl::Status GenerateProposalLabelsInferMeta(
    const TensorSpec& rpn_rois, const TensorSpec& gt_classes,
    const TensorSpec& is_crowd, const TensorSpec& gt_boxes,
    const TensorSpec& im_info, const TensorSpec* max_overlap,
    int batch_size_per_im, double fg_fraction,
    absl::Span<const float> bbox_reg_weights, int class_nums,
    bool is_cls_agnostic, bool is_cascade_rcnn, TensorSpec* rois,
    TensorSpec* labels, TensorSpec* bbox_targets,
    TensorSpec* bbox_inside_weights, TensorSpec* bbox_outside_weights,
    TensorSpec* max_overlap_with_gt);

// detect_res: [detections, 6]. label: [boxes, 6] or [boxes, 5]. pos_count int32
// [classes, 1], true_pos and false_pos [?, 2] are there together or all null.
absl::Status DetectionMapInferMeta(
    const TensorSpec& detect_res, const TensorSpec& label,
    const TensorSpec* has_state, const TensorSpec* pos_count,
    const TensorSpec* true_pos, const TensorSpec* false_pos, int class_num,
    std::string_view ap_type, TensorSpec* accum_pos_count,
    TensorSpec* accum_true_pos, TensorSpec* accum_false_pos, TensorSpec* map);

// bboxes: [images, boxes, 4]. scores: [images, classes, boxes].
absl::Status LocalityAwareNmsInferMeta(const TensorSpec& bboxes,
                                       const TensorSpec& scores,
                                       TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DETECTION_TARGETS_H_
