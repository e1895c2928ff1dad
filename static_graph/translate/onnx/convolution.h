// SPDX-License-Identifier: Apache-2.0
// Convolve: a convolution as the attributes of a node say.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_CONVOLUTION_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_CONVOLUTION_H_

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Returns the convolution of x [batch, channels, ...] of one to three spatial
// axes and the weights, without a bias. Refuses more axes, and weights of an
// unknown shape where the node has no kernel_shape.
ir::Value Convolve(OnnxCall& call, ir::Value x, ir::Value weights);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_CONVOLUTION_H_
