// SPDX-License-Identifier: Apache-2.0
// Linear layers and what may follow them, read from operations of the dialect
// `op`, for the pass linear_fusion.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_PATTERNS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_PATTERNS_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// x, as a matrix whose rows its first `row_axes` axes number, times a matrix; a
// bias of each column, an addend of each element, and an activation function of
// the sum.
struct LinearPattern {
  ir::Value x, matrix;
  int row_axes = 1;
  bool transposed = false;   // The matrix.
  bool is_weight = false;    // Whether no run changes the matrix; not read.
  bool of_pixels = false;    // A convolution of 1 x 1 of images of one pixel.
  ir::Value bias, residual;  // Null: none.
  std::optional<ActivationPattern> activation;

  // Returns true if it is more than a product.
  bool has_epilogue() const {
    return bias || residual || activation.has_value();
  }
};

// Reads matmul and mul of float32 or float64, where the right operand is a
// matrix, and convolutions of 1 x 1 of images of one pixel, whose filter is a
// transposed one. fc is a mul in a program.
std::optional<LinearPattern> ReadLinear(const ir::Operation& op);

// Returns the operand that has all extents of the result except the last one: x
// of a linear layer and of a layer norm, the operand of an elementwise
// function, the sums to which a number for each column is added. Null for any
// other operation.
ir::Value ReadRows(const ir::Operation& op);
// Returns what `op` adds to `x` if it is a sum of two tensors of one type; null
// otherwise.
ir::Value ReadElementAddend(const ir::Operation& op, ir::Value x);

// Takes `op`, which uses the layer's result `sums`, into the layer: a sum with
// a number for each column, then one with a tensor of the same shape, which
// `have_same_shape` knows, then an activation function. Returns false, and
// changes nothing, if it is none of these.
bool TakeStep(const ir::Operation& op, ir::Value sums,
              absl::FunctionRef<bool(ir::Value, ir::Value)> have_same_shape,
              LinearPattern* linear);

// Creates the call at the builder's insertion point. NotFound if the context
// has no such operator.
absl::StatusOr<ir::Value> BuildLinear(ir::Builder& builder,
                                      const LinearPattern& linear);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_PATTERNS_H_
