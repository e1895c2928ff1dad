// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/type_inference.h"

#include <vector>

namespace switchyard::static_graph {
namespace {

// Returns what both know; `old` where they contradict each other, which the run
// will say.
ir::Type Refined(ir::Context* context, ir::Type old, ir::Type inferred) {
  const auto tensor = old.As<ir::TensorType>();
  const auto better = inferred.As<ir::TensorType>();
  if (!tensor || !better) return old;
  TensorSpec spec = tensor.spec();
  if (!MayEqual(spec.shape, better.shape())) return old;
  for (int axis = 0; axis < spec.shape.rank(); ++axis) {
    const bool unknown =
        !spec.shape[axis].known() && !spec.shape[axis].symbolic();
    if (unknown || better.shape()[axis].known()) {
      spec.shape[axis] = better.shape()[axis];
    }
  }
  return context->GetTensorType(spec);
}

ir::OperationState StateOf(const ir::Operation& op) {
  ir::OperationState state;
  state.definition = &op.definition();
  state.operands = op.operands();
  state.attributes.assign(op.attributes().begin(), op.attributes().end());
  return state;
}

// Control flow declares the types of its blocks' arguments and results, which
// must stay equal: what it reads is left as it is.
bool FeedsControlFlow(ir::Value value) {
  for (const ir::OpOperand& use : value.uses()) {
    const ir::Operation* user = use.owner();
    if (user->num_regions() > 0) return true;
    if (user->has<ir::TerminatorTrait>() && user->parent_op() != nullptr &&
        user->parent_op()->parent() != nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> TypeInference::Run(ir::Program& program) {
  bool changed = false;
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    const auto* interface = op->interface<ir::InferTypesInterface>();
    if (interface == nullptr) continue;
    const absl::StatusOr<std::vector<ir::Type>> types =
        interface->infer(program.context(), StateOf(*op));
    // The verifier has asked the operation: what fails here is not inferred.
    if (!types.ok() || types->size() != op->results().size()) continue;
    for (ir::Value result : op->results()) {
      if (FeedsControlFlow(result)) continue;
      const ir::Type refined =
          Refined(program.context(), result.type(),
                  (*types)[static_cast<size_t>(result.index())]);
      changed |= refined != result.type();
      result.SetType(refined);
    }
  }
  return changed;
}

}  // namespace switchyard::static_graph
