// SPDX-License-Identifier: Apache-2.0
// InferMeta of recurrent layers. What the cells differ in is
// phi/shapes/rnn.h.
#ifndef SWITCHYARD_PHI_INFERMETA_RNN_RNN_H_
#define SWITCHYARD_PHI_INFERMETA_RNN_RNN_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/infer_meta_context.h"

namespace switchyard::phi {

// x is [time, batch, width]. `reserve` is [layers, directions, time, batch,
// numbers of a unit (ReservedCount) * hidden_size].
absl::Status RnnInferMeta(const TensorSpec& x, MetaList pre_state,
                          MetaList weight_list,
                          const TensorSpec* sequence_length,
                          const TensorSpec* rng, double dropout_prob,
                          bool is_bidirec, int input_size, int hidden_size,
                          int num_layers, std::string_view mode, bool is_test,
                          int64_t stream, TensorSpec* out,
                          TensorSpec* dropout_state, MetaOutputs state,
                          TensorSpec* reserve);

absl::Status RnnGradInferMeta(
    const TensorSpec& x, MetaList pre_state, MetaList weight_list,
    const TensorSpec* sequence_length, const TensorSpec& dropout_state,
    const TensorSpec& reserve, const TensorSpec& out_grad, MetaList state_grad,
    double dropout_prob, bool is_bidirec, int hidden_size, int num_layers,
    std::string_view mode, bool is_test, TensorSpec* x_grad,
    MetaOutputs pre_state_grad, MetaOutputs weight_list_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_RNN_RNN_H_
