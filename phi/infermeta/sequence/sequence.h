// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on sequences (LoD). The sequences themselves are known
// to kernels alone, and so is the number of rows that depends on them; what is
// known here is how many levels a result has. Recurrent ones are in
// phi/infermeta/rnn/recurrent.h.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_SEQUENCE_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_SEQUENCE_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/infer_meta_context.h"

namespace switchyard::phi {

// out: as x, with the levels of like.
absl::Status WithSequencesInferMeta(const TensorSpec& x, const TensorSpec& like,
                                    TensorSpec* out);

// out: as x with any number of rows and a level less; max_index: int32 like it
// where pooltype is MAX, else [0]. pooltype: AVERAGE, SUM, SQRT, MAX, LAST or
// FIRST.
absl::Status SequencePoolInferMeta(const TensorSpec& x,
                                   std::string_view pooltype, TensorSpec* out,
                                   TensorSpec* max_index);

// max_index may be null unless pooltype is MAX.
absl::Status SequencePoolGradInferMeta(const TensorSpec& x,
                                       const TensorSpec* max_index,
                                       const TensorSpec& out_grad,
                                       std::string_view pooltype,
                                       TensorSpec* x_grad);

// out: [rows, channels] for x [rows, width] and filter [context_length * width,
// channels]. padding_data, which padding_trainable needs: a row of x's width
// for each row before and after a sequence that a context reads.
absl::Status SequenceConvInferMeta(const TensorSpec& x,
                                   const TensorSpec* padding_data,
                                   const TensorSpec& filter, int context_length,
                                   bool padding_trainable, int context_start,
                                   int context_stride, TensorSpec* out);
absl::Status SequenceConvGradInferMeta(
    const TensorSpec& x, const TensorSpec* padding_data,
    const TensorSpec& filter, const TensorSpec& out_grad, int context_length,
    bool padding_trainable, int context_start, int context_stride,
    TensorSpec* x_grad, TensorSpec* padding_data_grad, TensorSpec* filter_grad);

// out: as x, which is [rows] or [rows, 1].
absl::Status SequenceSoftmaxInferMeta(const TensorSpec& x, TensorSpec* out);

// out: as x with any number of rows. ref_level: -1 or more.
absl::Status SequenceExpandInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     int ref_level, TensorSpec* out);

// out: as x with any number of rows, in one level.
absl::Status SequenceExpandAsInferMeta(const TensorSpec& x, const TensorSpec& y,
                                       TensorSpec* out);

// out: as x, of rank 1 or more.
absl::Status SequenceReverseInferMeta(const TensorSpec& x, TensorSpec* out);

// out: as the x, which differ in rows alone, with any number of rows.
absl::Status SequenceConcatInferMeta(MetaList x, TensorSpec* out);

// out: as x with any number of rows. offset, length: int32 or int64.
absl::Status SequenceSliceInferMeta(const TensorSpec& x,
                                    const TensorSpec& offset,
                                    const TensorSpec& length, TensorSpec* out);

// out: [any number, new_dim] for x [rows, width]. new_dim: 1 or more.
absl::Status SequenceReshapeInferMeta(const TensorSpec& x, int new_dim,
                                      TensorSpec* out);

// out: as x, [rows] or [rows, 1], with any number of rows.
absl::Status SequenceEraseInferMeta(const TensorSpec& x, TensorSpec* out);

// out: [rows, win_size] for x [rows] or [rows, 1]. win_size: 1 or more.
absl::Status SequenceEnumerateInferMeta(const TensorSpec& x, int win_size,
                                        TensorSpec* out);

// out: as x, which is [sequences, width]. ids: int32 or int64 [any, 1] or
// [any]; updates: as ids, of the dtype of x.
absl::Status SequenceScatterInferMeta(const TensorSpec& x,
                                      const TensorSpec& ids,
                                      const TensorSpec& updates,
                                      TensorSpec* out);

// out: [rows, channels * kernel height * kernel width] for x [images, channels,
// height, width], in one level; the number of rows is known where y is absent.
// y: float32 or float64 [any number, 2]. kernels, strides and out_stride: two
// numbers of 1 or more; paddings: four of 0 or more.
absl::Status Im2sequenceInferMeta(const TensorSpec& x, const TensorSpec* y,
                                  absl::Span<const int> kernels,
                                  absl::Span<const int> strides,
                                  absl::Span<const int> paddings,
                                  absl::Span<const int> out_stride,
                                  TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_SEQUENCE_H_
