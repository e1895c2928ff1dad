// SPDX-License-Identifier: Apache-2.0
// Values that lowerings of several families make: constants, extents, changes
// of dtype and of shape, sources of random numbers.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_VALUES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// All add to `call`. After its first problem they do nothing and return null
// values, as its own calls do; the types of a null value are empty.

// Types.
const Shape& ShapeOf(ir::Value value);
DataType DtypeOf(ir::Value value);
inline int Rank(ir::Value value) { return ShapeOf(value).rank(); }

// Constants. Refuses a dtype whose elements no double gives.
ir::Value IntegerList(OnnxCall& call, const Integers& elements);
ir::Value FloatList(OnnxCall& call, absl::Span<const double> elements,
                    DataType dtype);
ir::Value Number(OnnxCall& call, double number, DataType dtype);
// Returns a scalar of a value's dtype.
ir::Value NumberLike(OnnxCall& call, ir::Value like, double number);

// Returns the value itself if it has the dtype.
ir::Value Cast(OnnxCall& call, ir::Value value, DataType dtype);
// Rounds to the nearest whole number, halves to the even one.
ir::Value RoundToEven(OnnxCall& call, ir::Value value);
ir::Value Reshape(OnnxCall& call, ir::Value value, const Integers& extents);
// Reshapes to extents that are values, known ones or not.
ir::Value ReshapeTo(OnnxCall& call, ir::Value value,
                    const std::vector<ir::Value>& extents);
// Returns an extent, as an int64 of shape [1]: a constant if it is known.
ir::Value Extent(OnnxCall& call, ir::Value value, int axis);
// Returns the elements of a list of int64, each as a list of one, where it is
// known or was put together of such lists; none of others.
std::vector<ir::Value> ElementsOf(OnnxCall& call, ir::Value list);
std::vector<ir::Value> AllExtents(OnnxCall& call, ir::Value value);
// Returns 0, 1 and so on along an axis, as int64.
ir::Value Places(OnnxCall& call, ir::Value value, int axis);
// These three return the value itself where nothing changes.
ir::Value Transpose(OnnxCall& call, ir::Value value, const Integers& order);
ir::Value Unsqueeze(OnnxCall& call, ir::Value value, const Integers& axes);
ir::Value Squeeze(OnnxCall& call, ir::Value value, const Integers& axes);
// Returns elements [start, end) of an axis, by `step`, which is positive.
ir::Value Slice(OnnxCall& call, ir::Value value, int axis, int64_t start,
                int64_t end, int64_t step = 1);

// The state or the seed that a random operator draws from, and the number of
// its stream.
struct OnnxDraw {
  ir::Value rng;
  int64_t stream = 0;
};

// Returns the source of the node's next random operator: its `seed`, if it
// has that attribute, else the program's state. Refuses the state in a loop,
// where each iteration would draw the same numbers.
OnnxDraw NextDraw(OnnxCall& call);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_VALUES_H_
