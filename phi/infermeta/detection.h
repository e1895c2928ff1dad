// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on a detector's boxes. How many stay is known only
// when a kernel has run.
#ifndef SWITCHYARD_PHI_INFERMETA_DETECTION_H_
#define SWITCHYARD_PHI_INFERMETA_DETECTION_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: int64 [?] for x [boxes, 4].
absl::Status NmsInferMeta(const TensorSpec& x, TensorSpec* out);

// out: [?, 6] of bboxes' dtype, index: int32 [?, 1], nms_rois_num: int32
// [images], for bboxes [images, boxes, 4] and scores [images, classes, boxes]
// of one dtype.
absl::Status MulticlassNmsInferMeta(const TensorSpec& bboxes,
                                    const TensorSpec& scores, TensorSpec* out,
                                    TensorSpec* index,
                                    TensorSpec* nms_rois_num);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DETECTION_H_
