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

// A tensor of numbers of eight bits, its scale and its zero point.
struct QuantizedTensor {
  ir::Value y, scale, zero;
};
// The range of x, with 0 in it, in 255 steps.
QuantizedTensor DynamicallyQuantized(OnnxCall& call, ir::Value x);

// Operators of com.microsoft may have channels on the last axis
// (`channels_last`): these move it to axis 1, and back.
ir::Value ChannelsFirst(OnnxCall& call, ir::Value x);
ir::Value ChannelsBack(OnnxCall& call, ir::Value y);

// Returns the product of matrices, inputs of the node, less the zero points
// that other inputs are, exact in float64.
ir::Value IntegerProduct(OnnxCall& call, int a, int a_zero, int b, int b_zero);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_QUANTIZATION_QUANTIZATION_H_
