// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on a detector's boxes. How many stay is known only
// when a kernel has run.
#ifndef SWITCHYARD_PHI_INFERMETA_DETECTION_DETECTION_H_
#define SWITCHYARD_PHI_INFERMETA_DETECTION_DETECTION_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: int64 [?] for x [boxes, 4].
absl::Status NmsInferMeta(const TensorSpec& x, TensorSpec* out);

// out: [?, 6] of bboxes' dtype, index: int32 [?, 1], nms_rois_num: int32
// [images], for bboxes [images, boxes, 4] and scores [images, classes, boxes]
// of one dtype, or bboxes [boxes, classes, 4], scores [boxes, classes] and
// rois_num int32 [images], which else may be null.
absl::Status MulticlassNms3InferMeta(const TensorSpec& bboxes,
                                     const TensorSpec& scores,
                                     const TensorSpec* rois_num,
                                     TensorSpec* out, TensorSpec* index,
                                     TensorSpec* nms_rois_num);

// out: sequences [?, 6], one an image, index: int32 [?, 1]. The scores are
// [images, classes, boxes] as above, or [boxes, classes] for bboxes [boxes,
// classes, 4], whose sequences are the images. `mark_none` leaves out's extents
// open.
absl::Status MulticlassNmsLodInferMeta(const TensorSpec& bboxes,
                                       const TensorSpec& scores, bool mark_none,
                                       TensorSpec* out, TensorSpec* index);

// Does what MulticlassNms3InferMeta does without rois_num, for positive
// gaussian_sigma.
absl::Status MatrixNmsInferMeta(const TensorSpec& bboxes,
                                const TensorSpec& scores, float gaussian_sigma,
                                TensorSpec* out, TensorSpec* index,
                                TensorSpec* roisnum);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DETECTION_DETECTION_H_
