// SPDX-License-Identifier: Apache-2.0
// Where a region draws as often as its surroundings can't know, the state of
// the random numbers is one more of its values.
#include "static_graph/program/traced_regions.h"

#include <string>
#include <utility>

#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/checkpoint_attributes.h"

namespace switchyard::static_graph {
namespace {

using Role = RegionStack::Role;
using Values = absl::StatusOr<std::vector<ir::Value>>;

// Runs `function` with its operations going where `inner` is.
Values InRegion(ProgramDraft* draft, Role role, ir::Builder& inner,
                absl::Span<const ir::Value> arguments,
                const RegionFunction& function) {
  const ir::Builder around = std::exchange(draft->builder, inner);
  draft->regions.Enter(role);
  Values values = function(arguments);
  draft->regions.Leave();
  draft->builder = around;
  if (values.ok()) {
    SY_RETURN_IF_ERROR(draft->written.ResolveAll("result", &*values));
  }
  return values;
}

absl::StatusOr<ir::Value> AdvancedState(ProgramDraft* draft) {
  return Advanced(draft->draws, &draft->program, draft->builder);
}

// Returns `function`, which it refers to, with the advanced state after its
// values.
RegionFunction Drawing(ProgramDraft* draft, const RegionFunction& function) {
  return [draft, &function](absl::Span<const ir::Value> given) -> Values {
    SY_ASSIGN_OR_RETURN(std::vector<ir::Value> values, function(given));
    SY_ASSIGN_OR_RETURN(values.emplace_back(), AdvancedState(draft));
    return values;
  };
}

// Adds the cf.if of TraceIf() and leaves the draft's draws as they were. `ends`
// gets the draws at the end of either branch.
Values BuildBranches(ProgramDraft* draft, ir::Value condition,
                     const RegionFunction& then_branch,
                     const RegionFunction& else_branch, RandomDraws* ends) {
  // One branch runs: both draw from the same stream on, as in eager code.
  const RandomDraws before = draft->draws;
  const auto branch = [&](ir::Builder& inner, const RegionFunction& function,
                          RandomDraws* end) {
    draft->draws = before;
    Values values = InRegion(draft, Role::kBranchOrBody, inner, {}, function);
    *end = std::exchange(draft->draws, before);
    return values;
  };
  return BuildIf(
      draft->builder, condition,
      [&](ir::Builder& inner) { return branch(inner, then_branch, &ends[0]); },
      [&](ir::Builder& inner) { return branch(inner, else_branch, &ends[1]); });
}

// Adds the loop of TraceWhile(). If it `draws`, the last value is the state of
// the random numbers.
Values BuildLoop(ProgramDraft* draft, absl::Span<const ir::Value> first,
                 const RegionFunction& condition, const RegionFunction& body,
                 bool draws) {
  const size_t own = draws ? 1 : 0;  // Values that are not the caller's.
  const RandomDraws before = draft->draws;
  return BuildWhile(
      draft->builder, first,
      [&](ir::Builder& inner,
          absl::Span<const ir::Value> values) -> absl::StatusOr<ir::Value> {
        const Values yielded =
            InRegion(draft, Role::kCondition, inner,
                     values.first(values.size() - own), condition);
        if (!yielded.ok()) return yielded.status();
        if (yielded->size() == 1) return yielded->front();
        return ArgumentError("condition", "one value",
                             std::to_string(yielded->size()));
      },
      [&](ir::Builder& inner, absl::Span<const ir::Value> values) {
        // A second call of the body begins as the first did.
        draft->draws = draws ? RandomDraws{values.back(), 0} : before;
        return InRegion(draft, Role::kBranchOrBody, inner,
                        values.first(values.size() - own),
                        draws ? Drawing(draft, body) : body);
      });
}

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

Values TraceIf(ProgramDraft* draft, ir::Value condition,
               const RegionFunction& then_branch,
               const RegionFunction& else_branch) {
  SY_RETURN_IF_ERROR(draft->regions.CheckOpen("cond"));
  SY_ASSIGN_OR_RETURN(condition,
                      draft->written.Resolve("cond: condition", condition));
  RandomDraws ends[2];
  Values results =
      BuildBranches(draft, condition, then_branch, else_branch, ends);
  if (!results.ok()) return results;
  if (ends[0] == ends[1] && ends[0].rng == draft->draws.rng) {
    draft->draws = ends[0];
    return results;
  }
  // They draw another number of times: once more, with the state as a result.
  draft->builder.previous()->Erase();
  results = BuildBranches(draft, condition, Drawing(draft, then_branch),
                          Drawing(draft, else_branch), ends);
  if (!results.ok()) return results;
  draft->draws = {results->back(), 0};
  results->pop_back();
  return results;
}

Values TraceWhile(ProgramDraft* draft, absl::Span<const ir::Value> init,
                  const RegionFunction& condition, const RegionFunction& body) {
  SY_RETURN_IF_ERROR(draft->regions.CheckOpen("while_loop"));
  std::vector<ir::Value> first(init.begin(), init.end());
  SY_RETURN_IF_ERROR(draft->written.ResolveAll("while_loop: value", &first));
  const RandomDraws before = draft->draws;
  Values results = BuildLoop(draft, first, condition, body, false);
  const bool drew = !(draft->draws == before);
  draft->draws = before;
  if (!results.ok() || !drew) return results;
  // Each iteration draws further numbers: once more, with the state as a value.
  draft->builder.previous()->Erase();
  SY_ASSIGN_OR_RETURN(first.emplace_back(), AdvancedState(draft));
  results = BuildLoop(draft, first, condition, body, true);
  draft->draws = before;
  if (!results.ok()) return results;
  draft->draws = {results->back(), 0};
  results->pop_back();
  return results;
}

Values TraceCustomGradient(ProgramDraft* draft,
                           absl::Span<const ir::Value> outputs,
                           absl::Span<const ir::Value> inputs,
                           const RegionFunction& rule) {
  SY_RETURN_IF_ERROR(draft->regions.CheckOpen("custom_gradient"));
  std::vector<ir::Value> results(outputs.begin(), outputs.end());
  std::vector<ir::Value> of(inputs.begin(), inputs.end());
  const WrittenValues& written = draft->written;
  SY_RETURN_IF_ERROR(written.ResolveAll("custom_gradient: output", &results));
  SY_RETURN_IF_ERROR(written.ResolveAll("custom_gradient: input", &of));
  SY_RETURN_IF_ERROR(RegisterCustomGradient(draft->context));
  return BuildCustomGradient(
      draft->builder, results, of,
      [&](ir::Builder& inner, absl::Span<const ir::Value> arguments) {
        return InRegion(draft, Role::kGradientRule, inner, arguments, rule);
      });
}

absl::Status TraceCheckpoint(ProgramDraft* draft, int64_t number,
                             absl::FunctionRef<absl::Status()> function) {
  SY_RETURN_IF_ERROR(draft->regions.CheckOpen("checkpoint"));
  ir::Context* const context = draft->context;
  // Marks the place: any other operation may go meanwhile.
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute place,
      context->GetConstant(context->GetTensorType(DataType::kBool, {}),
                           std::string_view("\0", 1)));
  ir::Operation* const mark = draft->builder.Constant(place).defining_op();
  const absl::Status status = function();
  for (ir::Operation* op = mark->next(); op != nullptr; op = op->next()) {
    if (op->num_results() > 0 && op->name() != ir::kConstantOp) {
      AddCheckpoint(context, number, op);
    }
  }
  mark->Erase();
  return status;
}

void EraseCheckpoints(ir::Block& block) {
  for (ir::Operation* op : ir::AllOperations(block)) {
    op->RemoveAttribute(ir::kCheckpointAttr);
  }
}

}  // namespace switchyard::static_graph
