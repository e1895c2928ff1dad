// SPDX-License-Identifier: Apache-2.0
// Numbers of sixteen bits and fewer with a scale and a zero point.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_QUANTIZATION_QUANTIZATION_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_QUANTIZATION_QUANTIZATION_H_

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Returns the numbers of a value beside those of x: one of each part of the
// axis, with axes of one element after it; a value of one element as it is.
ir::Value AlongAxis(OnnxCall& call, ir::Value numbers, ir::Value x, int axis);

// Returns x / scale, plus the zero point (null: 0), as `to`: rounded half to
// even and within its bounds if it is an integer, else cast as the node says.
ir::Value Quantized(OnnxCall& call, ir::Value x, ir::Value scale,
                    ir::Value zero, DataType to);

// Returns (x - zero) * scale, rounded once, to `to`; `zero` may be null.
ir::Value Dequantized(OnnxCall& call, ir::Value x, ir::Value scale,
                      ir::Value zero, DataType to);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_QUANTIZATION_QUANTIZATION_H_
