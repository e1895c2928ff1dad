// SPDX-License-Identifier: Apache-2.0
// InferMeta of beam search. How many candidates are selected, sequences and
// scores decide, so rows are unknown.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_BEAM_SEARCH_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_BEAM_SEARCH_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// scores: of rank 1 or more, a row for each prefix. ids: int64 like scores, or
// null. pre_ids: int64, pre_scores: of the dtype of scores; one element for
// each prefix. level: 0 or more; beam_size: 1 to 65,536. parent_idx may be
// null.
absl::Status BeamSearchInferMeta(const TensorSpec& pre_ids,
                                 const TensorSpec& pre_scores,
                                 const TensorSpec* ids,
                                 const TensorSpec& scores, int level,
                                 int beam_size, TensorSpec* selected_ids,
                                 TensorSpec* selected_scores,
                                 TensorSpec* parent_idx);

// ids: an int64 array, scores: one of any dtype. beam_size: as above.
absl::Status BeamSearchDecodeInferMeta(const TensorSpec& ids,
                                       const TensorSpec& scores, int beam_size,
                                       TensorSpec* sentence_ids,
                                       TensorSpec* sentence_scores);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_BEAM_SEARCH_H_
