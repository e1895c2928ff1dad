// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/beam_search.h"

#include <string>
#include <string_view>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"
#include "phi/infermeta/tensor_array/tensor_array.h"

namespace switchyard::phi {
namespace {

// The levels of candidates: those of a source sentence, those of a prefix.
constexpr int kLevels = 2;
// More than any search has: a result has a sequence for each.
constexpr int kMaxBeams = 1 << 16;

// One element for each of `rows` prefixes.
absl::Status CheckPrefixes(std::string_view argument, const TensorSpec& x,
                           Dim rows) {
  SY_ASSIGN_OR_RETURN(const Dim count, Product(x.shape.dims()));
  if (MayEqual(count, rows)) return absl::OkStatus();
  return ArgumentError(argument, "of " + ToString(Shape({rows})) + " elements",
                       ToString(x.shape));
}

absl::Status CheckBeamSize(int beam_size) {
  if (beam_size >= 1 && beam_size <= kMaxBeams) return absl::OkStatus();
  return RangeError("beam_size", "in [1, " + std::to_string(kMaxBeams) + "]",
                    std::to_string(beam_size));
}

}  // namespace

absl::Status BeamSearchInferMeta(const TensorSpec& pre_ids,
                                 const TensorSpec& pre_scores,
                                 const TensorSpec* ids,
                                 const TensorSpec& scores, int level,
                                 int beam_size, TensorSpec* selected_ids,
                                 TensorSpec* selected_scores,
                                 TensorSpec* parent_idx) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("scores", scores, 1));
  SY_RETURN_IF_ERROR(CheckDtype("pre_ids", pre_ids, DataType::kInt64));
  SY_RETURN_IF_ERROR(CheckDtype("pre_scores", pre_scores, scores.dtype));
  SY_RETURN_IF_ERROR(CheckPrefixes("pre_ids", pre_ids, scores.shape[0]));
  SY_RETURN_IF_ERROR(CheckPrefixes("pre_scores", pre_scores, scores.shape[0]));
  if (ids != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("ids", *ids, DataType::kInt64));
    SY_RETURN_IF_ERROR(CheckShape("ids", *ids, scores.shape));
  }
  if (level < 0) {
    return ArgumentError("level", "0 or more", std::to_string(level));
  }
  SY_RETURN_IF_ERROR(CheckBeamSize(beam_size));
  const Shape selected({Dim::Unknown(), 1});
  SY_RETURN_IF_ERROR(
      SetSequences(DataType::kInt64, selected, kLevels, selected_ids));
  SY_RETURN_IF_ERROR(
      SetSequences(scores.dtype, selected, kLevels, selected_scores));
  return SetOutput(parent_idx, DataType::kInt32, Shape({Dim::Unknown()}));
}

absl::Status BeamSearchDecodeInferMeta(const TensorSpec& ids,
                                       const TensorSpec& scores, int beam_size,
                                       TensorSpec* sentence_ids,
                                       TensorSpec* sentence_scores) {
  SY_RETURN_IF_ERROR(CheckArray("ids", ids));
  SY_RETURN_IF_ERROR(CheckArray("scores", scores));
  SY_RETURN_IF_ERROR(CheckDtype("ids", ids, DataType::kInt64));
  SY_RETURN_IF_ERROR(CheckBeamSize(beam_size));
  const Shape words({Dim::Unknown()});
  SY_RETURN_IF_ERROR(
      SetSequences(DataType::kInt64, words, kLevels, sentence_ids));
  return SetSequences(scores.dtype, words, kLevels, sentence_scores);
}

}  // namespace switchyard::phi
