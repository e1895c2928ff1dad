// SPDX-License-Identifier: Apache-2.0
// InferMeta of the operators that propose regions of interest and share them
// among the levels of a feature pyramid. How many regions there are is known
// only when a kernel has run; those of a batch are sequences (LoD), one an
// image.
#ifndef SWITCHYARD_PHI_INFERMETA_DETECTION_PROPOSALS_H_
#define SWITCHYARD_PHI_INFERMETA_DETECTION_PROPOSALS_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/infer_meta_context.h"

namespace switchyard::phi {

// rpn_rois: [?, 4], rpn_roi_probs: [?, 1]; rpn_rois_num: int32 [images]. For
// scores [images, a, height, width], bbox_deltas [images, 4 * a, height,
// width], anchors and variances [height, width, a, 4], and im_shape [images,
// 2].
absl::Status GenerateProposalsInferMeta(
    const TensorSpec& scores, const TensorSpec& bbox_deltas,
    const TensorSpec& im_shape, const TensorSpec& anchors,
    const TensorSpec& variances, float nms_thresh, float eta,
    TensorSpec* rpn_rois, TensorSpec* rpn_roi_probs, TensorSpec* rpn_rois_num);

// Does what GenerateProposalsInferMeta does, with im_info [images, 3]; regions
// are sequences (LoD).
absl::Status LegacyGenerateProposalsInferMeta(
    const TensorSpec& scores, const TensorSpec& bbox_deltas,
    const TensorSpec& im_info, const TensorSpec& anchors,
    const TensorSpec& variances, float nms_thresh, float eta,
    TensorSpec* rpn_rois, TensorSpec* rpn_roi_probs, TensorSpec* rpn_rois_num);

// rois: a [?, 4] for each level; restore_index: int32 [regions, 1];

// rois_num: an int32 [images] for each level. `rois_num`, int32 [images], may
// be null.
absl::Status DistributeFpnProposalsInferMeta(const TensorSpec& fpn_rois,
                                             const TensorSpec* rois_num,
                                             absl::Span<const int> levels,
                                             int refer_level, int refer_scale,
                                             MetaOutputs multi_fpn_rois,
                                             TensorSpec* restore_index,
                                             MetaOutputs multi_level_rois_num);

// fpn_rois: [?, 4]; rois_num: int32 [images], or of one image. Scores are [n,
// 1] or [n] for regions [n, 4]; there is one of both for each level, and of the
// numbers of regions, int32 [images], if there are any.
absl::Status CollectFpnProposalsInferMeta(MetaList multi_level_rois,
                                          MetaList multi_level_scores,
                                          MetaList multi_level_rois_num,
                                          int post_nms_topn,
                                          TensorSpec* fpn_rois,
                                          TensorSpec* rois_num);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DETECTION_PROPOSALS_H_
