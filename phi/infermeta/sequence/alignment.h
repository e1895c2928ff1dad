// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that align, compare or decode sequences of labels:
// rows of a LoD (of which phi/infermeta/sequence/sequence.h says what is known
// here), or items of a batch with lengths beside it.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_ALIGNMENT_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_ALIGNMENT_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// sequencenum: int64 [1]; out: float32 [any number, 1]. hyps, refs: labels of
// one dtype, [rows] or [rows, 1], or with a length of each [batch, steps].
absl::Status EditDistanceInferMeta(const TensorSpec& hyps,
                                   const TensorSpec& refs,
                                   const TensorSpec* hypslength,
                                   const TensorSpec* refslength,
                                   TensorSpec* sequencenum, TensorSpec* out);

// output: [any number, 1] for input [rows] or [rows, 1], and output_length [0,
// 1]; with input_length as input [batch, steps], and [batch, 1].
absl::Status CtcAlignInferMeta(const TensorSpec& input,
                               const TensorSpec* input_length,
                               TensorSpec* output, TensorSpec* output_length);

// loss: [any number, 1] for logits [rows, classes], or with logits_length
// [batch, 1] for [steps, batch, classes]; warpctcgrad: [steps, sequences,
// classes]. label: labels as above, int32 or int64. blank: a class.
absl::Status WarpctcInferMeta(const TensorSpec& logits, const TensorSpec& label,
                              const TensorSpec* logits_length,
                              const TensorSpec* labels_length, int blank,
                              TensorSpec* loss, TensorSpec* warpctcgrad);
absl::Status WarpctcGradInferMeta(const TensorSpec& logits,
                                  const TensorSpec* logits_length,
                                  const TensorSpec& warpctcgrad,
                                  const TensorSpec& loss_grad,
                                  TensorSpec* logits_grad);

// The first three: float32 [1], the others int64 [1]. inference, label: int64
// labels as above, or [batch, steps, 1] with a length of each item, as
// PaddlePaddle has them. chunk_scheme: IOB, IOE, IOBES or plain.
absl::Status ChunkEvalInferMeta(
    const TensorSpec& inference, const TensorSpec& label,
    const TensorSpec* seq_length, int num_chunk_types,
    std::string_view chunk_scheme, TensorSpec* precision, TensorSpec* recall,
    TensorSpec* f1_score, TensorSpec* num_infer_chunks,
    TensorSpec* num_label_chunks, TensorSpec* num_correct_chunks);

// scores: [batch], path: int64 [batch, any number], for potentials [batch,
// steps, tags], transition_params [tags, tags] and lengths [batch].
// include_bos_eos_tag needs two tags.
absl::Status ViterbiDecodeInferMeta(const TensorSpec& potentials,
                                    const TensorSpec& transition_params,
                                    const TensorSpec& lengths,
                                    bool include_bos_eos_tag,
                                    TensorSpec* scores, TensorSpec* path);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_ALIGNMENT_H_
