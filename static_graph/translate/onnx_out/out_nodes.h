// SPDX-License-Identifier: Apache-2.0
// Nodes that several families make, each with the constants that it needs.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_NODES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_NODES_H_

#include <cstdint>
#include <string_view>

#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "static_graph/translate/onnx_out/out_call.h"

namespace switchyard::static_graph {

OnnxName Cast(OutCall& call, const OnnxName& x, DataType dtype);
OnnxName Reshape(OutCall& call, const OnnxName& x, const Integers& shape);
// These two return x itself for no axes.
OnnxName Unsqueeze(OutCall& call, const OnnxName& x, const Integers& axes);
OnnxName Squeeze(OutCall& call, const OnnxName& x, const Integers& axes);
OnnxName Transpose(OutCall& call, const OnnxName& x, const Integers& perm);
OnnxName Slice(OutCall& call, const OnnxName& x, int64_t axis, int64_t begin,
               int64_t end, int64_t step = 1);
// Rounds to whole numbers; halves go away from 0, those of Round to the even
// number.
OnnxName RoundAway(OutCall& call, const OnnxName& x, DataType dtype);
// A reduction such as ReduceSum, over `axes`; all of them if it has none.
OnnxName Reduce(OutCall& call, std::string_view type, const OnnxName& x,
                const Integers& axes, bool keepdim);
// Returns 0, 1 ... below a number; `count` is a list of one.
OnnxName CountUp(OutCall& call, const OnnxName& count);
// Returns the extents of axes [begin, end) of a value.
OnnxName Extents(OutCall& call, const OnnxName& x, int begin, int end);
// Returns the shape that an output has: numbers where known, else those of
// `like` along the same axis.
OnnxName ShapeLike(OutCall& call, const Shape& shape, const OnnxName& like);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_NODES_H_
