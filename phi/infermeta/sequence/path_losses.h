// SPDX-License-Identifier: Apache-2.0
// InferMeta of losses that are sums over all paths of labels through a
// sequence, beside warpctc's (phi/infermeta/sequence/alignment.h).
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_PATH_LOSSES_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_PATH_LOSSES_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// log_likelihood: [sequences, 1]; alpha, emission_exps: like emission [rows,
// tags], or with length [batch, steps, tags]; transition_exps: like transition
// [tags + 2, tags]. label: int64, one for each row. There is a tag.
absl::Status LinearChainCrfInferMeta(
    const TensorSpec& emission, const TensorSpec& transition,
    const TensorSpec& label, const TensorSpec* length, TensorSpec* alpha,
    TensorSpec* emission_exps, TensorSpec* transition_exps,
    TensorSpec* log_likelihood);

// loss: [batch]; warprnntgrad: like input [batch, steps, labels + 1, classes].
// label: [batch, labels], input_lengths and label_lengths: [batch], int32 or
// int64. blank: a class.
absl::Status WarprnntInferMeta(const TensorSpec& input, const TensorSpec& label,
                               const TensorSpec& input_lengths,
                               const TensorSpec& label_lengths, int blank,
                               TensorSpec* loss, TensorSpec* warprnntgrad);
absl::Status WarprnntGradInferMeta(const TensorSpec& input,
                                   const TensorSpec& warprnntgrad,
                                   const TensorSpec& loss_grad,
                                   TensorSpec* input_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_PATH_LOSSES_H_
