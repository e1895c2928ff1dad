// SPDX-License-Identifier: Apache-2.0
// Sums of two tensors, read from operations of the dialect `op`.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_SUM_PATTERN_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_SUM_PATTERN_H_

#include <optional>

#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// x + y, where the axes of y stand at `axis` and after it in x's; -1: the last
// axes of both are the same.
struct SumPattern {
  ir::Value x, y;
  int axis = -1;

  // Returns the operand that is not `value`; y if both are.
  ir::Value other(ir::Value value) const { return x == value ? y : x; }
};
// Returns nullopt if the operation is no sum.
std::optional<SumPattern> ReadSum(const ir::Operation& op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_SUM_PATTERN_H_
