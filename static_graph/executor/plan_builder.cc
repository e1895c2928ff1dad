// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/plan_builder.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/device/transfer.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/executor/block_planner.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/ir/block.h"
#include "static_graph/lowering/replaced_elements.h"

namespace switchyard::static_graph {
namespace {

TransformOperator FindTransform(const ir::Program& program,
                                const phi::KernelTable& table,
                                const char* name) {
  const DialectOp* op = FindOperator(*program.context(), name);
  const phi::OpKernels* op_kernels = table.Find(name);
  if (op == nullptr || op_kernels == nullptr) return {};
  return {op->info, op_kernels};
}

// Checks that the new value of a state is dense.
absl::Status CheckUpdate(const ir::NamedValue& updated) {
  const TensorKind kind = updated.value.tensor_type().kind();
  if (kind == TensorKind::kDense) return absl::OkStatus();
  return TypeError(absl::StrCat("state ", updated.name),
                   kind == TensorKind::kTensorArray
                       ? "dense (array_to_tensor() it)"
                       : "dense (to_dense() it)",
                   Name(kind));
}

}  // namespace

absl::StatusOr<ProgramPlan> BuildPlan(const ir::Program& program,
                                      const phi::KernelTable& table,
                                      const LoweringOptions& options) {
  SY_RETURN_IF_ERROR(Annotate(CheckPlace(options.place), "program"));
  ProgramPlan plan;
  plan.place = options.place;
  plan.policy = options.admitted();
  plan.relaxed = options.relaxed;
  for (int kind = 0; kind < phi::selection::kNumTransformKinds; ++kind) {
    plan.transforms[kind] = FindTransform(
        program, table, phi::selection::kTransformOperators[kind]);
  }
  BlockPlanner planner(&plan, &table, &plan.body);
  for (ir::Value argument : program.entry().arguments()) {
    const bool feed = argument.role() == ir::ArgumentRole::kFeed;
    auto& ports = feed ? plan.feeds : plan.states;
    SY_ASSIGN_OR_RETURN(const ValueId value,
                        planner.AddInput(argument,
                                         feed ? PlanValue::Source::kFeed
                                              : PlanValue::Source::kState,
                                         static_cast<int>(ports.size())));
    if (!feed && !argument.tensor_type().shape().known()) {
      return ArgumentError(
          absl::StrCat("state ", std::string(argument.argument_name())),
          "of a known shape", ir::ToString(argument.type()));
    }
    ports.push_back({std::string(argument.argument_name()),
                     argument.tensor_type().spec(), value});
  }
  SY_RETURN_IF_ERROR(planner.AddOperations(program.entry()));
  for (const ir::NamedValue& fetch : program.fetches()) {
    const ValueId value = planner.GetId(fetch.value);
    plan.fetches.push_back(
        {fetch.name, fetch.value.tensor_type().spec(), value});
    plan.body.results.push_back(value);
  }
  for (const ir::NamedValue& updated : program.new_states()) {
    SY_RETURN_IF_ERROR(CheckUpdate(updated));
    const ValueId state = planner.GetId(
        program.FindArgument(ir::ArgumentRole::kState, updated.name));
    ProgramPlan::Update update;
    update.state = plan.body.values[state].index;
    update.value = planner.GetId(updated.value);
    // A state that keeps its value needs nothing.
    if (update.value == state) continue;
    update.in_place = planner.GetTarget(update.value) == state;
    plan.updates.push_back(update);
    plan.body.results.push_back(update.value);
  }
  planner.Finish();
  for (const Instruction& instruction : plan.body.instructions) {
    plan.replaces_elements |= instruction.kind == Instruction::Kind::kLaunch &&
                              ReplacesElements(instruction.op->name) &&
                              instruction.sources[0].writes();
  }
  return plan;
}

}  // namespace switchyard::static_graph
