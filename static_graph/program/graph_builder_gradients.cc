// SPDX-License-Identifier: Apache-2.0
// The parts of GraphBuilder that differentiate.
#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/checkpoint_attributes.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::static_graph {
namespace {

// Says that `op` is in a checkpoint around those that it is in.
void AddCheckpoint(ir::Context* context, int64_t number, ir::Operation* op) {
  std::vector<int64_t> numbers = {number};
  const auto inner =
      op->attribute(ir::kCheckpointAttr).As<absl::Span<const int64_t>>();
  if (inner.has_value()) {
    numbers.insert(numbers.end(), inner->begin(), inner->end());
  }
  op->SetAttribute(
      context->GetString(ir::kCheckpointAttr),
      context->GetAttribute(AttrRef(absl::MakeConstSpan(numbers))));
}

}  // namespace

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::Gradients(
    ir::Value loss, absl::Span<const ir::Value> wrt) {
  SY_RETURN_IF_ERROR(CheckOpen("gradients"));
  if (regions_.size() == 1)
    SY_RETURN_IF_ERROR(written_.MakeValueForm(&program_));
  SY_ASSIGN_OR_RETURN(loss, written_.Resolve("gradients: loss", loss));
  std::vector<ir::Value> targets(wrt.begin(), wrt.end());
  SY_RETURN_IF_ERROR(written_.ResolveTargets(&targets));
  return BuildGradients(builder_, loss, targets);
}

absl::Status GraphBuilder::Checkpoint(
    absl::FunctionRef<absl::Status()> function) {
  SY_RETURN_IF_ERROR(CheckOpen("checkpoint"));
  const int64_t number = ++checkpoints_;
  // Marks the place: any other operation may go meanwhile.
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute place,
      context_->GetConstant(context_->GetTensorType(DataType::kBool, {}),
                            std::string_view("\0", 1)));
  ir::Operation* const mark = builder_.Constant(place).defining_op();
  const absl::Status status = function();
  for (ir::Operation* op = mark->next(); op != nullptr; op = op->next()) {
    if (op->num_results() > 0 && op->name() != ir::kConstantOp) {
      AddCheckpoint(context_, number, op);
    }
  }
  mark->Erase();
  return status;
}

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::CustomGradient(
    absl::Span<const ir::Value> outputs, absl::Span<const ir::Value> inputs,
    const RegionFunction& rule) {
  SY_RETURN_IF_ERROR(CheckOpen("custom_gradient"));
  std::vector<ir::Value> results(outputs.begin(), outputs.end());
  std::vector<ir::Value> of(inputs.begin(), inputs.end());
  SY_RETURN_IF_ERROR(written_.ResolveAll("custom_gradient: output", &results));
  SY_RETURN_IF_ERROR(written_.ResolveAll("custom_gradient: input", &of));
  SY_RETURN_IF_ERROR(RegisterCustomGradient(context_));
  ++rules_;
  absl::StatusOr<std::vector<ir::Value>> made = BuildCustomGradient(
      builder_, results, of,
      [&](ir::Builder& inner, absl::Span<const ir::Value> arguments) {
        return InRegion(inner, arguments, rule);
      });
  --rules_;
  return made;
}

}  // namespace switchyard::static_graph
