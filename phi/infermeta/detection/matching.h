// SPDX-License-Identifier: Apache-2.0
// InferMeta of the operators that match a detector's boxes with true ones, to
// train it. The true boxes of a batch are sequences (LoD), one an image.
#ifndef SWITCHYARD_PHI_INFERMETA_DETECTION_MATCHING_H_
#define SWITCHYARD_PHI_INFERMETA_DETECTION_MATCHING_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// Both results are [images, columns]: int32 and of dist_mat's dtype. One image
// where dist_mat has no sequences.
absl::Status BipartiteMatchInferMeta(const TensorSpec& dist_mat,
                                     std::string_view match_type,
                                     TensorSpec* match_indices,
                                     TensorSpec* match_dist);

// out: [images, priors, k] of x's dtype for x [true boxes, p, k], where p
// divides the priors; out_weight: float32 [images, priors, 1]. `neg_indices`,
// int32 [?, 1], may be null.
absl::Status TargetAssignInferMeta(const TensorSpec& x,
                                   const TensorSpec& match_indices,
                                   const TensorSpec* neg_indices,
                                   TensorSpec* out, TensorSpec* out_weight);

// neg_indices: int32 [?, 1], sequences; updated_match_indices: like
// match_indices. `loc_loss` may be null.
absl::Status MineHardExamplesInferMeta(
    const TensorSpec& cls_loss, const TensorSpec* loc_loss,
    const TensorSpec& match_indices, const TensorSpec& match_dist,
    float neg_pos_ratio, float neg_dist_threshold, int sample_size,
    std::string_view mining_type, TensorSpec* neg_indices,
    TensorSpec* updated_match_indices);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DETECTION_MATCHING_H_
