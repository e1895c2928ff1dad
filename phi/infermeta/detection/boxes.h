// SPDX-License-Identifier: Apache-2.0
// InferMeta of arithmetic on boxes whose number does not change. Which boxes
// stay: phi/infermeta/detection/detection.h.
#ifndef SWITCHYARD_PHI_INFERMETA_DETECTION_BOXES_H_
#define SWITCHYARD_PHI_INFERMETA_DETECTION_BOXES_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// output_box: [targets, priors, 4]. The target boxes are [targets, 4] if they
// are encoded, and of the shape of the result if they are decoded.
// `prior_box_var` may be null.
absl::Status BoxCoderInferMeta(const TensorSpec& prior_box,
                               const TensorSpec* prior_box_var,
                               const TensorSpec& target_box,
                               std::string_view code_type, int axis,
                               absl::Span<const float> variance,
                               TensorSpec* output_box);

// boxes: [images, height * width * anchors, 4]; scores: one for each of
// `class_num` classes instead.
absl::Status YoloBoxInferMeta(const TensorSpec& x, const TensorSpec& img_size,
                              absl::Span<const int> anchors, int class_num,
                              int downsample_ratio, bool iou_aware,
                              float iou_aware_factor, TensorSpec* boxes,
                              TensorSpec* scores);

// out: [boxes of x, boxes of y].
absl::Status IouSimilarityInferMeta(const TensorSpec& x, const TensorSpec& y,
                                    TensorSpec* out);

// output: like input, whose last extent is 4. im_info is [images, 3].
absl::Status BoxClipInferMeta(const TensorSpec& input,
                              const TensorSpec& im_info, TensorSpec* output);

// output: like input, which has an even number of channels.
absl::Status PolygonBoxTransformInferMeta(const TensorSpec& input,
                                          TensorSpec* output);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DETECTION_BOXES_H_
