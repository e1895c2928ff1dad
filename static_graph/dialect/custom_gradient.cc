// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/custom_gradient.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

constexpr char kOf[] = "of";

// Result i lies in the memory of operand i.
ir::ResultAlias Alias(const ir::Operation&, int result) {
  ir::ResultAlias alias;
  alias.view_of = result;
  return alias;
}

constexpr ir::AliasInterface kAlias = {&Alias};

// Whether a gradient of type `gradient` may be that of a value of type `type`.
bool IsGradientOf(ir::Type gradient, ir::Type type) {
  const auto from = gradient.As<ir::TensorType>();
  const auto to = type.As<ir::TensorType>();
  return from && to && from.dtype() == to.dtype() &&
         (from.kind() == to.kind() ||
          from.kind() == TensorKind::kSelectedRows) &&
         MayEqual(from.shape(), to.shape());
}

absl::Status CheckGradient(int number, ir::Value gradient, ir::Value input) {
  if (IsGradientOf(gradient.type(), input.type())) return absl::OkStatus();
  return TypeError(absl::StrCat("gradient ", number),
                   ir::ToString(input.type()), ir::ToString(gradient.type()));
}

absl::Status CheckCount(const char* what, int expected, int got) {
  if (expected == got) return absl::OkStatus();
  return ArgumentError(what, absl::StrCat(expected), absl::StrCat(got));
}

absl::Status VerifyArguments(const ir::Operation& op) {
  const ir::Block& block = op.block(0);
  const int outputs = op.num_results();
  SY_RETURN_IF_ERROR(
      CheckCount("region arguments", 2 * outputs, block.num_arguments()));
  for (int i = 0; i < outputs; ++i) {
    for (ir::Value value :
         {op.operand(i), block.argument(i), block.argument(outputs + i)}) {
      if (value.type() == op.result(i).type()) continue;
      return TypeError(absl::StrCat("result ", i), ir::ToString(value.type()),
                       ir::ToString(op.result(i).type()));
    }
  }
  return absl::OkStatus();
}

absl::Status Verify(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(CheckCount("regions", 1, op.num_regions()));
  const int inputs = op.num_operands() - op.num_results();
  if (inputs < 0) {
    return ArgumentError("operands",
                         absl::StrCat("at least ", op.num_results()),
                         absl::StrCat(op.num_operands()));
  }
  SY_RETURN_IF_ERROR(VerifyArguments(op));
  const auto of = op.attribute(kOf).As<absl::Span<const int>>();
  const ir::Operation* yield = op.block(0).terminator();
  if (!of.has_value() || yield == nullptr || yield->name() != kYieldOp) {
    return ArgumentError("region",
                         "ended by cf.yield, beside an attribute of = int32[]",
                         "neither or one of the two");
  }
  SY_RETURN_IF_ERROR(CheckCount("yielded values", static_cast<int>(of->size()),
                                yield->num_operands()));
  for (size_t i = 0; i < of->size(); ++i) {
    const int number = (*of)[i];
    if (number < 0 || number >= inputs) {
      return ArgumentError(kOf, absl::StrCat("in [0, ", inputs, ")"),
                           absl::StrCat(number));
    }
    SY_RETURN_IF_ERROR(CheckGradient(number,
                                     yield->operand(static_cast<int>(i)),
                                     op.operand(op.num_results() + number)));
  }
  return absl::OkStatus();
}

// Fills the region of `op`, and its attribute `of`.
absl::Status Fill(ir::Builder& builder, ir::Operation* op, GradientRule rule) {
  ir::Block* block = &op->block(0);
  for (int twice = 0; twice < 2; ++twice) {
    for (ir::Value result : op->results()) block->AddArgument(result.type());
  }
  ir::Builder inner(builder.context(), block);
  inner.SetLocation(op->location());
  SY_ASSIGN_OR_RETURN(const std::vector<ir::Value> gradients,
                      rule(inner, block->arguments()));
  const int inputs = op->num_operands() - op->num_results();
  SY_RETURN_IF_ERROR(
      CheckCount("gradients", inputs, static_cast<int>(gradients.size())));
  std::vector<int> of;
  ir::OperationState yield;
  yield.definition = builder.context()->FindOp(kYieldOp);
  yield.location = op->location();
  for (int i = 0; i < inputs; ++i) {
    if (!gradients[i]) continue;
    SY_RETURN_IF_ERROR(
        CheckGradient(i, gradients[i], op->operand(op->num_results() + i)));
    of.push_back(i);
    yield.operands.push_back(gradients[i]);
  }
  ir::Builder(builder.context(), block).Create(yield);
  const ir::NamedAttribute named =
      builder.Named(kOf, AttrRef(absl::MakeConstSpan(of)));
  op->SetAttribute(named.name, named.value);
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterCustomGradient(ir::Context* context) {
  if (context->FindOp(kCustomGradientOp) != nullptr) return absl::OkStatus();
  ir::OpDefinition definition;
  definition.name = kCustomGradientOp;
  definition.verify = &Verify;
  definition.Add<ir::PureTrait>();
  definition.Add<ir::ViewTrait>();
  definition.Add(&kAlias);
  SY_RETURN_IF_ERROR(context->RegisterOp(std::move(definition)));
  ir::OpDefinition kept;
  kept.name = kKeptGradientOp;
  kept.Add<ir::PureTrait>();
  return context->RegisterOp(std::move(kept));
}

absl::StatusOr<std::vector<ir::Value>> BuildCustomGradient(
    ir::Builder& builder, absl::Span<const ir::Value> outputs,
    absl::Span<const ir::Value> inputs, GradientRule rule) {
  ir::OperationState state;
  state.definition = builder.context()->FindOp(kCustomGradientOp);
  state.operands.assign(outputs.begin(), outputs.end());
  state.operands.insert(state.operands.end(), inputs.begin(), inputs.end());
  for (ir::Value output : outputs) state.results.push_back(output.type());
  state.regions = 1;
  ir::Operation* op = builder.Create(state);
  auto erase = absl::MakeCleanup([op] { op->Erase(); });
  SY_RETURN_IF_ERROR(Fill(builder, op, rule));
  std::move(erase).Cancel();
  return op->results();
}

std::vector<ir::Value> CustomGradientTargets(const ir::Operation& op) {
  std::vector<ir::Value> targets;
  const auto of = op.attribute(kOf).As<absl::Span<const int>>();
  if (!of.has_value()) return targets;
  for (int number : *of) {
    targets.push_back(op.operand(op.num_results() + number));
  }
  return targets;
}

ir::Value BuildKeptGradient(ir::Builder& builder, ir::Value y, ir::Value x) {
  ir::OperationState state;
  state.definition = builder.context()->FindOp(kKeptGradientOp);
  state.operands = {y, x};
  state.results = {y.type()};
  return builder.Create(state)->result(0);
}

void EraseCustomGradients(ir::Block& block) {
  for (ir::Operation* op : block) {
    if (op->name() == kCustomGradientOp || op->name() == kKeptGradientOp) {
      for (ir::Value result : op->results()) {
        result.ReplaceAllUsesWith(op->operand(result.index()));
      }
      op->Erase();
      continue;
    }
    for (int i = 0; i < op->num_regions(); ++i) {
      EraseCustomGradients(op->block(i));
    }
  }
}

}  // namespace switchyard::static_graph
