// SPDX-License-Identifier: Apache-2.0
// The calls that gradients are made of beside the backward operators. Eager's
// record of them is AutogradOps (eager/call/eager_op.h).
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_AUTODIFF_OPS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_AUTODIFF_OPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Each creates a call at the insertion point and returns its result.
// FailedPreconditionError if the builder's context lacks the operator.

// Returns x + y: contributions to one gradient; counts of iterations.
absl::StatusOr<ir::Value> BuildSum(ir::Builder& builder, ir::Value x,
                                   ir::Value y);
// Returns x * y: the square of a stride.
absl::StatusOr<ir::Value> BuildProduct(ir::Builder& builder, ir::Value x,
                                       ir::Value y);
// Returns x < y: whether a loop of the backward goes on.
absl::StatusOr<ir::Value> BuildLess(ir::Builder& builder, ir::Value x,
                                    ir::Value y);
// Returns `number` in the shape and dtype of `like`: a gradient of ones, zeros
// or negative zeros.
absl::StatusOr<ir::Value> BuildFilled(ir::Builder& builder, ir::Value like,
                                      double number);
// Returns an array without elements: the gradient of an array, so far.
absl::StatusOr<ir::Value> BuildEmptyArray(
    ir::Builder& builder, DataType dtype,
    absl::Span<const int64_t> element_shape);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_AUTODIFF_OPS_H_
