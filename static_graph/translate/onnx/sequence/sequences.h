// SPDX-License-Identifier: Apache-2.0
// Sequences of ONNX as tensor arrays, and the loops that fill them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_SEQUENCE_SEQUENCES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_SEQUENCE_SEQUENCES_H_

#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Returns an empty array of tensors of `rank` axes of any extents.
ir::Value EmptyArray(OnnxCall& call, DataType dtype, int rank);
// Returns an array of the values, one at least. Extents on which they don't
// agree are unknown. Refuses values of different ranks.
ir::Value ArrayOf(OnnxCall& call, const std::vector<ir::Value>& values);
// Returns whether nothing is known of the elements: those of SequenceEmpty.
bool TakesAnyElement(ir::Value array);
// Returns the array with a tensor at its end.
ir::Value Append(OnnxCall& call, ir::Value array, ir::Value tensor);
// Returns the number of elements, an int64 of no axes.
ir::Value LengthOf(OnnxCall& call, ir::Value array);
// Stacks the elements along a new axis. `element` is their shape as types say
// it: an array that is empty when the program runs doesn't know it.
ir::Value StackOf(OnnxCall& call, ir::Value array, int axis,
                  const Shape& element);

// Returns a call that adds at another insertion point.
OnnxCall CallAt(OnnxCall& call, ir::Builder& builder);

// A loop that runs `step` for 0, 1, ... count - 1 (an int64 of no axes). The
// values that it carries begin as `carried`, and each step returns the next
// ones, and then `collected` tensors, which arrays collect.
struct CountedLoop {
  using Step = std::function<absl::StatusOr<std::vector<ir::Value>>(
      OnnxCall& call, ir::Value i, absl::Span<const ir::Value> carried)>;

  ir::Value count;
  std::vector<ir::Value> carried;
  size_t collected = 0;
  Step step;
};

// Returns the carried values at the end, then the arrays.
std::vector<ir::Value> Repeat(OnnxCall& call, const CountedLoop& loop);

// Translates the body of a loop; returns all that an iteration makes.
using TrialBody = std::function<absl::StatusOr<std::vector<ir::Value>>(
    OnnxCall& call, absl::Span<const ir::Value> carried)>;
// Returns the types of all that an iteration makes of the values that a loop
// carries first, by a translation that leaves nothing behind.
std::vector<TensorSpec> SpecsOfBody(OnnxCall& call,
                                    const std::vector<ir::Value>& carried,
                                    const TrialBody& translate);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_SEQUENCE_SEQUENCES_H_
