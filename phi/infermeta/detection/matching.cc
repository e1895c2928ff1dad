// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/detection/matching.h"

#include <string>

#include "framework/base/float_text.h"
#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

}  // namespace

absl::Status BipartiteMatchInferMeta(const TensorSpec& dist_mat,
                                     std::string_view match_type,
                                     TensorSpec* match_indices,
                                     TensorSpec* match_dist) {
  if (match_type != "bipartite" && match_type != "per_prediction") {
    return ArgumentError("match_type", "\"bipartite\" or \"per_prediction\"",
                         Quoted(match_type));
  }
  SY_RETURN_IF_ERROR(CheckShape("dist_mat", dist_mat, Shape({kAny, kAny})));
  const Shape shape({SequenceCount(dist_mat), dist_mat.shape[1]});
  SY_RETURN_IF_ERROR(SetOutput(match_indices, DataType::kInt32, shape));
  return SetOutput(match_dist, dist_mat.dtype, shape);
}

absl::Status TargetAssignInferMeta(const TensorSpec& x,
                                   const TensorSpec& match_indices,
                                   const TensorSpec* neg_indices,
                                   TensorSpec* out, TensorSpec* out_weight) {
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, kAny, kAny})));
  SY_RETURN_IF_ERROR(
      CheckDtype("match_indices", match_indices, DataType::kInt32));
  SY_RETURN_IF_ERROR(
      CheckShape("match_indices", match_indices, Shape({kAny, kAny})));
  const Dim columns = x.shape[1], priors = match_indices.shape[1];
  if (columns == Dim(0) || (columns.known() && priors.known() &&
                            priors.value() % columns.value() != 0)) {
    return ArgumentError(
        "x", "of an extent along axis 1 that divides " + ToString(priors),
        ToString(x.shape));
  }
  if (neg_indices != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtype("neg_indices", *neg_indices, DataType::kInt32));
    SY_RETURN_IF_ERROR(
        CheckShape("neg_indices", *neg_indices, Shape({kAny, 1})));
  }
  const Dim images = match_indices.shape[0];
  SY_RETURN_IF_ERROR(
      SetOutput(out, x.dtype, Shape({images, priors, x.shape[2]})));
  return SetOutput(out_weight, DataType::kFloat32, Shape({images, priors, 1}));
}

absl::Status MineHardExamplesInferMeta(
    const TensorSpec& cls_loss, const TensorSpec* loc_loss,
    const TensorSpec& match_indices, const TensorSpec& match_dist,
    float neg_pos_ratio, float neg_dist_threshold, int sample_size,
    std::string_view mining_type, TensorSpec* neg_indices,
    TensorSpec* updated_match_indices) {
  SY_RETURN_IF_ERROR(CheckShape("cls_loss", cls_loss, Shape({kAny, kAny})));
  if (loc_loss != nullptr) {
    SY_RETURN_IF_ERROR(CheckShape("loc_loss", *loc_loss, cls_loss.shape));
    SY_RETURN_IF_ERROR(CheckDtype("loc_loss", *loc_loss, cls_loss.dtype));
  }
  SY_RETURN_IF_ERROR(
      CheckShape("match_indices", match_indices, cls_loss.shape));
  SY_RETURN_IF_ERROR(
      CheckDtype("match_indices", match_indices, DataType::kInt32));
  SY_RETURN_IF_ERROR(CheckShape("match_dist", match_dist, cls_loss.shape));
  SY_RETURN_IF_ERROR(CheckDtype("match_dist", match_dist, cls_loss.dtype));
  if (mining_type == "max_negative") {
    if (!(neg_pos_ratio > 0)) {
      return ArgumentError("neg_pos_ratio", "above 0",
                           ShortestText(neg_pos_ratio));
    }
    if (!(neg_dist_threshold > 0 && neg_dist_threshold < 1)) {
      return ArgumentError("neg_dist_threshold", "between 0 and 1",
                           ShortestText(neg_dist_threshold));
    }
  } else if (mining_type != "hard_example") {
    return ArgumentError("mining_type", "\"max_negative\" or \"hard_example\"",
                         Quoted(mining_type));
  } else if (sample_size <= 0) {
    return ArgumentError("sample_size", "above 0", std::to_string(sample_size));
  }
  SY_RETURN_IF_ERROR(
      SetSequences(DataType::kInt32, Shape({kAny, 1}), 1, neg_indices));
  return SetOutput(updated_match_indices, DataType::kInt32,
                   match_indices.shape);
}

}  // namespace switchyard::phi
