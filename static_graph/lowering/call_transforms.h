// SPDX-License-Identifier: Apache-2.0
// CallTransforms: adds calls of the operators that copy, cast, reorder or make
// contiguous, with their kernels, to a program that is lowered.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_TRANSFORMS_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_TRANSFORMS_H_

#include "absl/types/span.h"
#include "phi/selection/transform.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/builder.h"
#include "static_graph/lowering/call_selector.h"

namespace switchyard::static_graph {

// Creates the call kernel.<name> of `op` that was selected, with the attributes
// that say so beside those of `state`; a `transform` is one.
ir::Operation* CreateKernelCall(ir::Builder& builder, const DialectOp& op,
                                ir::OperationState state,
                                const AskedCall& asked, bool transform);

// Operations are created at the builder's insertion point. Errors begin with
// the name of the transform's operator.
class CallTransforms {
 public:
  // Borrows its arguments.
  CallTransforms(ir::Context* context, CallSelector* selector)
      : context_(context), selector_(*selector) {}

  const CallSelector& selector() const { return selector_; }

  // Returns what `transform` makes of `value`, which is dense, or for a copy
  // SelectedRows.
  absl::StatusOr<ir::Value> Transform(
      ir::Builder& builder, ir::Value value,
      const phi::selection::Transform& transform);
  // A copy where the value is.
  absl::StatusOr<ir::Value> Copy(ir::Builder& builder, ir::Value value);
  absl::StatusOr<ir::Value> Reorder(ir::Builder& builder, ir::Value value,
                                    LayoutDescriptor layout);
  // Gives all users of a kernel's result that is in another layout a strided
  // one; returns that.
  absl::StatusOr<ir::Value> ReorderResult(ir::Builder& builder,
                                          ir::Value result);
  // Puts copies on `place` for the inputs of a call, those too that kernels
  // take as they are.
  absl::Status CopyInputs(ir::Builder& builder, Place place, OpCall* call);
  // Gives all users of results copies on `place`. `moved`: the program asked
  // for them, selection did not.
  absl::Status CopyResults(ir::Builder& builder,
                           absl::Span<const ir::Value> results, Place place,
                           bool moved);

 private:
  ir::Context* context_;
  CallSelector& selector_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_TRANSFORMS_H_
