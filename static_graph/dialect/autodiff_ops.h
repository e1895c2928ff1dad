// SPDX-License-Identifier: Apache-2.0
// AutodiffOp: the operators that gradients are made of beside the backward
// ones. Eager's record of them is AutogradOps (eager/call/eager_op.h).
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_AUTODIFF_OPS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_AUTODIFF_OPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// The parts that operators play in autodiff, which calls them by these.
enum class AutodiffOp : uint8_t {
  kSum,         // (x, y): contributions to one gradient; counts of iterations.
  kProduct,     // (x, y): the square of a stride.
  kLess,        // (x, y): whether a loop of the backward goes on.
  kFillLike,    // (x, value): a gradient of ones, zeros or negative zeros.
  kEmptyArray,  // (dtype, element_shape): the gradient of an array, so far.
};

// Creates a call of the operator that plays this part, which has no lists and
// one output. FailedPreconditionError if the builder's context lacks it.
absl::StatusOr<ir::Value> BuildAutodiffOp(ir::Builder& builder, AutodiffOp op,
                                          absl::Span<const ir::Value> inputs,
                                          absl::Span<const AttrRef> attrs = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_AUTODIFF_OPS_H_
