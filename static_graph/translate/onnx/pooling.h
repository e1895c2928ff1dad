// SPDX-License-Identifier: Apache-2.0
// AveragePooled: an average pooling as the attributes of a node say.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_POOLING_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_POOLING_H_

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Returns the means of windows of x [batch, channels, ...].
ir::Value AveragePooled(OnnxCall& call, ir::Value x);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_POOLING_H_
