// SPDX-License-Identifier: Apache-2.0
// InferMeta of the operators that lay boxes over the cells of a feature map.
// What is done with boxes: phi/infermeta/detection/boxes.h and
// phi/infermeta/detection/detection.h.
#ifndef SWITCHYARD_PHI_INFERMETA_DETECTION_PRIOR_BOXES_H_
#define SWITCHYARD_PHI_INFERMETA_DETECTION_PRIOR_BOXES_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out, var: of input's dtype and shape [height, width, boxes of a cell, 4].
absl::Status PriorBoxInferMeta(const TensorSpec& input, const TensorSpec& image,
                               absl::Span<const float> min_sizes,
                               absl::Span<const float> max_sizes,
                               absl::Span<const float> aspect_ratios,
                               absl::Span<const float> variances, bool flip,
                               float step_w, float step_h, TensorSpec* out,
                               TensorSpec* var);

// Does what PriorBoxInferMeta does; [height * width * boxes of a cell, 4] with
// `flatten_to_2d`.
absl::Status DensityPriorBoxInferMeta(
    const TensorSpec& input, const TensorSpec& image,
    absl::Span<const float> fixed_sizes, absl::Span<const float> fixed_ratios,
    absl::Span<const int> densities, absl::Span<const float> variances,
    bool flatten_to_2d, float step_w, float step_h, TensorSpec* out,
    TensorSpec* var);

// anchors, variances_out: of input's dtype and shape [height, width, boxes of a
// cell, 4].
absl::Status AnchorGeneratorInferMeta(const TensorSpec& input,
                                      absl::Span<const float> anchor_sizes,
                                      absl::Span<const float> aspect_ratios,
                                      absl::Span<const float> variances,
                                      absl::Span<const float> stride,
                                      TensorSpec* anchors,
                                      TensorSpec* variances_out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DETECTION_PRIOR_BOXES_H_
