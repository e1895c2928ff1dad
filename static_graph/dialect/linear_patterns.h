// SPDX-License-Identifier: Apache-2.0
// Linear layers and what may stand after them, read from operations of the
// dialect `op`. The pass linear_fusion asks here.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_LINEAR_PATTERNS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_LINEAR_PATTERNS_H_

#include <optional>

#include "framework/base/status.h"
#include "static_graph/dialect/conv_patterns.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// x, as a matrix whose rows its first `row_axes` axes number, times a matrix; a
// bias of each column and an activation function of the sum.
struct LinearPattern {
  ir::Value x, matrix;
  int row_axes = 1;
  ir::Value bias;  // Null: none.
  std::optional<ActivationPattern> activation;

  // Returns true if it is more than a product.
  bool has_epilogue() const { return bias || activation.has_value(); }
};

// Reads matmul and mul of float32 or float64, where the right operand is a
// matrix that is not transposed. fc is a mul in a program.
std::optional<LinearPattern> ReadLinear(const ir::Operation& op);

// Takes `op`, which uses the layer's result `sums`, into the layer: a sum with
// a number for each column, or after it an activation function. Returns false,
// and changes nothing, if it is neither.
bool TakeStep(const ir::Operation& op, ir::Value sums, LinearPattern* linear);

// Creates the call at the builder's insertion point. NotFound if the context
// has no such operator.
absl::StatusOr<ir::Value> BuildLinear(ir::Builder& builder,
                                      const LinearPattern& linear);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_LINEAR_PATTERNS_H_
