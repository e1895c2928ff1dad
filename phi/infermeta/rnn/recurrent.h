// SPDX-License-Identifier: Apache-2.0
// InferMeta of recurrent networks over sequences (LoD), of what decodes them,
// and of what turns sequences into padded batches and back. What is known of
// sequences here: phi/infermeta/sequence/sequence.h.
#ifndef SWITCHYARD_PHI_INFERMETA_RNN_RECURRENT_H_
#define SWITCHYARD_PHI_INFERMETA_RNN_RECURRENT_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// hidden: [rows, width] for input [rows, 3 * width], weight [width, 3 * width],
// bias [1, 3 * width], h0 [sequences, width]. The others hold what the gradient
// reads: gates like input, and two like hidden. Activations: sigmoid, tanh,
// relu or identity.
absl::Status GruInferMeta(const TensorSpec& input, const TensorSpec* h0,
                          const TensorSpec& weight, const TensorSpec* bias,
                          std::string_view activation,
                          std::string_view gate_activation, bool is_reverse,
                          bool origin_mode, TensorSpec* hidden,
                          TensorSpec* batch_gate,
                          TensorSpec* batch_reset_hidden_prev,
                          TensorSpec* batch_hidden);
absl::Status GruGradInferMeta(
    const TensorSpec& input, const TensorSpec* h0, const TensorSpec& weight,
    const TensorSpec* bias, const TensorSpec& hidden,
    const TensorSpec& batch_gate, const TensorSpec& hidden_grad,
    std::string_view activation, std::string_view gate_activation,
    bool is_reverse, bool origin_mode, TensorSpec* input_grad,
    TensorSpec* h0_grad, TensorSpec* weight_grad, TensorSpec* bias_grad);

// hidden, cell: [rows, width] for input [rows, 4 * width], weight [width, 4 *
// width], bias [1, 4 * width] ([1, 7 * width] with peepholes), h0 and c0
// [sequences, width]. The others hold what the gradient reads: gates like
// input, activated cells like cell.
absl::Status LstmInferMeta(const TensorSpec& input, const TensorSpec* h0,
                           const TensorSpec* c0, const TensorSpec& weight,
                           const TensorSpec& bias, bool use_peepholes,
                           bool is_reverse, std::string_view gate_activation,
                           std::string_view cell_activation,
                           std::string_view candidate_activation,
                           TensorSpec* hidden, TensorSpec* cell,
                           TensorSpec* batch_gate,
                           TensorSpec* batch_cell_pre_act);
absl::Status LstmGradInferMeta(
    const TensorSpec& input, const TensorSpec* h0, const TensorSpec* c0,
    const TensorSpec& weight, const TensorSpec& bias, const TensorSpec& hidden,
    const TensorSpec& cell, const TensorSpec& batch_gate,
    const TensorSpec& batch_cell_pre_act, const TensorSpec* hidden_grad,
    const TensorSpec* cell_grad, bool use_peepholes, bool is_reverse,
    std::string_view gate_activation, std::string_view cell_activation,
    std::string_view candidate_activation, TensorSpec* input_grad,
    TensorSpec* h0_grad, TensorSpec* c0_grad, TensorSpec* weight_grad,
    TensorSpec* bias_grad);

// viterbi_path: int64 [rows, 1] for emission [rows, tags], or [batch, steps]
// for [batch, steps, tags] with length, int64 of a number for each item.
// transition: [tags + 2, tags]; label: int64, of as many elements as the path.
absl::Status CrfDecodingInferMeta(const TensorSpec& emission,
                                  const TensorSpec& transition,
                                  const TensorSpec* label,
                                  const TensorSpec* length,
                                  TensorSpec* viterbi_path);

// out: as x, in the levels of y, or else in one, which comes below those of x
// where append.
absl::Status LodResetInferMeta(const TensorSpec& x, const TensorSpec* y,
                               bool append, TensorSpec* out);

// out: [any number, padded_length, ...] for x [rows, ...]; length: int64 [any
// number]. padded_length: -1 or more. pad_value: of x's dtype.
absl::Status SequencePadInferMeta(const TensorSpec& x,
                                  const TensorSpec& pad_value,
                                  int padded_length, TensorSpec* out,
                                  TensorSpec* length);
absl::Status SequencePadGradInferMeta(const TensorSpec& x,
                                      const TensorSpec& out_grad,
                                      int padded_length, TensorSpec* x_grad);

// out: [any number, ...], [any number, 1] for x of rank 2. length: int64
// [extent of x on axis 0].
absl::Status SequenceUnpadInferMeta(const TensorSpec& x,
                                    const TensorSpec& length, TensorSpec* out);

// y: of out_dtype, x's shape and after it maxlen, any number where that is
// negative.
absl::Status SequenceMaskInferMeta(const TensorSpec& x, AttrValue maxlen,
                                   DataType out_dtype, TensorSpec* y);

// gate: like input [rows, 3 * width], the others like hidden_prev [rows,
// width]; weight and bias as of gru.
absl::Status GruUnitInferMeta(const TensorSpec& input,
                              const TensorSpec& hidden_prev,
                              const TensorSpec& weight, const TensorSpec* bias,
                              std::string_view activation,
                              std::string_view gate_activation,
                              bool origin_mode, TensorSpec* gate,
                              TensorSpec* reset_hidden_prev,
                              TensorSpec* hidden);
absl::Status GruUnitGradInferMeta(
    const TensorSpec& input, const TensorSpec& hidden_prev,
    const TensorSpec& weight, const TensorSpec* bias, const TensorSpec& gate,
    const TensorSpec& hidden_grad, std::string_view activation,
    std::string_view gate_activation, bool origin_mode, TensorSpec* input_grad,
    TensorSpec* hidden_prev_grad, TensorSpec* weight_grad,
    TensorSpec* bias_grad);

// c, h: like c_prev [rows, width], for x [rows, 4 * width].
absl::Status LstmUnitInferMeta(const TensorSpec& x, const TensorSpec& c_prev,
                               TensorSpec* c, TensorSpec* h);
absl::Status LstmUnitGradInferMeta(const TensorSpec& x,
                                   const TensorSpec& c_prev,
                                   const TensorSpec* c_grad,
                                   const TensorSpec* h_grad, TensorSpec* x_grad,
                                   TensorSpec* c_prev_grad);

// out: as x, [rows, width] or [batch, steps, width]; filter: [any number,
// width].
absl::Status RowConvInferMeta(const TensorSpec& x, const TensorSpec& filter,
                              TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_RNN_RECURRENT_H_
