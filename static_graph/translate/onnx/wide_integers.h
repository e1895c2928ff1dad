// SPDX-License-Identifier: Apache-2.0
// Reductions, sorting and products of matrices have kernels for int32 and
// int64; other integers and bools go through these.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_WIDE_INTEGERS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_WIDE_INTEGERS_H_

#include "framework/types/data_type.h"
#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Returns integers or bools as int32 or int64 that have the same last bits: a
// Cast of their sums and products back wraps around as those of x do. Other
// values as they are.
ir::Value WithBitsOf(OnnxCall& call, ir::Value x);

// Returns them as int32 or int64 in the same order.
ir::Value InOrderOf(OnnxCall& call, ir::Value x);

// Returns elements that InOrderOf has made of ones of `dtype`, as these were.
ir::Value OutOfOrder(OnnxCall& call, ir::Value y, DataType dtype);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_WIDE_INTEGERS_H_
