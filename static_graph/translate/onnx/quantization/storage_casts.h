// SPDX-License-Identifier: Apache-2.0
// Casts to floats of 8 and 4 bits as ONNX has them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_QUANTIZATION_STORAGE_CASTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_QUANTIZATION_STORAGE_CASTS_H_

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Casts x to any dtype. The node's attributes `saturate` and `round_mode`
// decide for floats of 8 bits; where it has none, their defaults: numbers too
// large become the greatest one, powers of 2 are rounded up.
ir::Value CastAsNodeSays(OnnxCall& call, ir::Value x, DataType to);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_QUANTIZATION_STORAGE_CASTS_H_
