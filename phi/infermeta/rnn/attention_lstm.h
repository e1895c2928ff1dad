// SPDX-License-Identifier: Apache-2.0
// InferMeta of the LSTM that attends to its whole sequence at each step.
#ifndef SWITCHYARD_PHI_INFERMETA_RNN_ATTENTION_LSTM_H_
#define SWITCHYARD_PHI_INFERMETA_RNN_ATTENTION_LSTM_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// hidden, cell: [rows, width], with the sequences of x [rows, inner]. c0 and
// h0, which may be null: [sequences, width]. attention_weight: [inner + width,
// 1]; attention_bias, attention_scalar and attention_scalar_bias: one element,
// or null. lstm_weight: [width + inner, 4 * width]; lstm_bias: [1, 4 * width].
// Activations are sigmoid, tanh, relu or identity.
absl::Status AttentionLstmInferMeta(
    const TensorSpec& x, const TensorSpec& c0, const TensorSpec* h0,
    const TensorSpec& attention_weight, const TensorSpec* attention_bias,
    const TensorSpec* attention_scalar, const TensorSpec* attention_scalar_bias,
    const TensorSpec& lstm_weight, const TensorSpec& lstm_bias,
    std::string_view gate_activation, std::string_view cell_activation,
    std::string_view candidate_activation, TensorSpec* hidden,
    TensorSpec* cell);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_RNN_ATTENTION_LSTM_H_
