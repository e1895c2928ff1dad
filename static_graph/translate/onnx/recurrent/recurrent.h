// SPDX-License-Identifier: Apache-2.0
// RecurrentSteps: LSTM, GRU and RNN of ONNX step by step, for features that our
// layer operator lacks: other activations, peepholes, clipping, and a reset
// gate before the product with the state.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_RECURRENT_RECURRENT_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_RECURRENT_RECURRENT_H_

#include <cstdint>

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// The operators of ONNX that are recurrent layers.
enum class CellKind : uint8_t { kRnn, kGru, kLstm };

// The matrices of a layer: floating ones, or integers with scales and zero
// points, whose products take bytes with a scale for each whole operand.
enum class RecurrentWeights : uint8_t { kFloating, kQuantized };

// Sets the outputs of the node by a loop over the steps of each direction.
void RecurrentSteps(OnnxCall& call, CellKind kind,
                    RecurrentWeights weights = RecurrentWeights::kFloating);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_RECURRENT_RECURRENT_H_
