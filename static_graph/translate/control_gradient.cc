// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control_gradient.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/mark.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/translate/control/structured_control.h"
#include "static_graph/translate/control/sub_blocks.h"
#include "static_graph/translate/gradient_operator.h"
#include "static_graph/translate/translate_gradient.h"
#include "static_graph/translate/translate_operator.h"

namespace switchyard::static_graph {
namespace {

using Names = std::vector<std::string>;
using Slots = ReusedList<ForeignSlot>;

constexpr char kSelectOutput[] = "select_output";
constexpr char kSubBlock[] = "sub_block";
// The names that the block of a while_grad has for the gradients in Out@GRAD.
constexpr char kInnerGradients[] = "original_output_grad";

// A variable of the forward operator and the one that holds its gradient.
struct Pair {
  std::string variable;
  std::string gradient;
};

// The gradient of an operator that runs a block.
struct ControlGradient {
  int forward_block = -1;
  std::vector<Pair> given;   // Of what the operator wrote.
  std::vector<Pair> wanted;  // Of what it read.
};

Names VariablesOf(const Slots& slots, std::string_view name) {
  for (const ForeignSlot& slot : slots) {
    if (slot.name == name) {
      return Names(slot.variables.begin(), slot.variables.end());
    }
  }
  return {};
}

// The variables of two slots, one by one; those without a gradient are left
// out.
absl::StatusOr<std::vector<Pair>> Paired(const std::string& slot,
                                         Names variables, Names gradients) {
  if (variables.size() != gradients.size()) {
    return ArgumentError(
        slot + std::string(kGradSuffix),
        absl::StrCat(variables.size(), " variables, as ", slot, " has"),
        absl::StrCat(gradients.size()));
  }
  std::vector<Pair> pairs;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (gradients[i] == kEmptyVariable) continue;
    pairs.push_back({std::move(variables[i]), std::move(gradients[i])});
  }
  return pairs;
}

// The variables that a while_grad's gradients of Out are of, by the names that
// its block has for them.
Names VariablesOfGradients(const ForeignOperator& op) {
  Names names;
  for (const ForeignAttr& attr : op.attrs) {
    if (attr.name != kInnerGradients) continue;
    for (const std::string& name : attr.texts()) {
      names.push_back(name.substr(0, name.find(kGradSuffix)));
    }
  }
  return names;
}

absl::StatusOr<int> ForwardBlock(const ForeignOperator& op,
                                 const ForeignProgram& program) {
  for (const ForeignAttr& attr : op.attrs) {
    if (attr.name != kSubBlock) continue;
    const int block = static_cast<int>(attr.integer());
    const int count = program.blocks_size();
    if (block <= 0 || block >= count) {
      return ArgumentError(kSubBlock, absl::StrCat("in [1, ", count, ")"),
                           absl::StrCat(block));
    }
    const int forward = program.blocks(block).forward_block();
    if (IsGradientBlock(program, block) && forward < count) return forward;
    return ArgumentError(kSubBlock, "the gradient of another block",
                         absl::StrCat("block ", block));
  }
  return ArgumentError("attribute 'sub_block'", "the number of a block",
                       "none");
}

absl::StatusOr<ControlGradient> Read(const ForeignOperator& op,
                                     const ForeignProgram& program) {
  const bool loop = op.type == "while_grad";
  const std::string read = loop ? "X" : "Input";
  ControlGradient gradient;
  SY_ASSIGN_OR_RETURN(gradient.forward_block, ForwardBlock(op, program));
  SY_ASSIGN_OR_RETURN(
      gradient.given,
      Paired("Out",
             loop ? VariablesOfGradients(op) : VariablesOf(op.inputs, "Out"),
             VariablesOf(op.inputs, "Out" + std::string(kGradSuffix))));
  SY_ASSIGN_OR_RETURN(
      gradient.wanted,
      Paired(read, VariablesOf(op.inputs, read),
             VariablesOf(op.outputs, read + std::string(kGradSuffix))));
  return gradient;
}

absl::Status CheckSelectOutput(const ForeignOperator& op) {
  for (const char* const name : {"X", "Mask"}) {
    const size_t count = VariablesOf(op.inputs, name).size();
    if (count != 1) {
      return ArgumentError(name, "one variable", absl::StrCat(count));
    }
  }
  const size_t count = VariablesOf(op.outputs, "Out").size();
  if (count == 2) return absl::OkStatus();
  return ArgumentError("Out", "two variables", absl::StrCat(count));
}

// The value goes to the variable that the mask tells, zeros to the other.
absl::Status TranslateSelectOutput(const ForeignOperator& op,
                                   ir::Builder& builder, VariableScope* scope,
                                   const Translation& translation) {
  SY_ASSIGN_OR_RETURN(
      const ir::Value mask,
      ReadVariable(builder, *scope, VariablesOf(op.inputs, "Mask")[0]));
  SY_ASSIGN_OR_RETURN(
      const ir::Value x,
      ReadVariable(builder, *scope, VariablesOf(op.inputs, "X")[0]));
  SY_ASSIGN_OR_RETURN(const ir::Value zeros,
                      GradientSums(&builder).Filled(x, 0.0));
  const Names out = VariablesOf(op.outputs, "Out");
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == kEmptyVariable) continue;
    std::vector<ir::Value> values = {zeros, zeros};
    values[i] = x;
    SY_ASSIGN_OR_RETURN(const ir::Value chosen,
                        BuildSelection(builder, mask, values));
    SY_RETURN_IF_ERROR(WriteVariable(out[i], chosen, translation, scope));
  }
  return absl::OkStatus();
}

// The values of the variables whose gradients are wanted. Two variables with
// the same value share one gradient, so each would get only a part of it.
absl::StatusOr<std::vector<ir::Value>> Targets(const ControlGradient& gradient,
                                               const RanBlock& ran) {
  std::vector<ir::Value> targets;
  HashMap<ir::Value, std::string> seen;
  for (const auto& [variable, name] : gradient.wanted) {
    const auto value = ran.before.find(variable);
    if (value == ran.before.end()) {
      return ArgumentError(name, "the gradient of what the block reads",
                           absl::StrCat("of '", variable, "'"));
    }
    const auto [other, first] = seen.emplace(value->second, variable);
    if (!first && other->second != variable) {
      return absl::UnimplementedError(absl::StrCat(
          "'", other->second, "' and '", variable,
          "' must not hold one value, since both have a gradient"));
    }
    targets.push_back(value->second);
  }
  return targets;
}

// Whether there is room for the gradient of the blocks of `forward`, which is
// made in one go.
absl::Status CheckRoom(const ir::Operation& forward, LoadBudget* budget) {
  // Each operation once more, and those of its gradient.
  constexpr size_t kGradient = 2048;
  size_t size = 0;
  for (int i = 0; i < forward.num_regions(); ++i) {
    size += kGradient * ir::AllOperations(forward.block(i)).size();
  }
  budget->Take(size);
  const absl::Status status = budget->Check();
  budget->GiveBack(size);
  return status;
}

// The variables that the block of gradients counts down as often as the forward
// block counted them up: they end with their first values.
Names CountersBack(const ForeignOperator& op, const ForeignProgram& program) {
  Names counters;
  for (const ForeignAttr& attr : op.attrs) {
    if (attr.name != kSubBlock) continue;
    for (const ForeignOperator& inner :
         program.blocks(static_cast<int>(attr.integer())).ops()) {
      if (inner.type != "increment") continue;
      for (std::string& name : VariablesOf(inner.outputs, "Out")) {
        counters.push_back(std::move(name));
      }
    }
  }
  return counters;
}

}  // namespace

bool IsControlGradient(std::string_view type) {
  return type == "while_grad" || type == "conditional_block_grad" ||
         type == kSelectOutput;
}

absl::Status CheckControlGradient(const ForeignOperator& op,
                                  const ForeignProgram& program, int block) {
  if (op.type == kSelectOutput) return CheckSelectOutput(op);
  if (block != 0) {
    return absl::UnimplementedError(
        "the gradient of a block must be taken in the main block");
  }
  return Read(op, program).status();
}

absl::Status TranslateControlGradient(const ForeignOperator& op,
                                      ir::Builder& builder,
                                      VariableScope* scope,
                                      Translation* translation) {
  if (op.type == kSelectOutput) {
    return TranslateSelectOutput(op, builder, scope, *translation);
  }
  SY_ASSIGN_OR_RETURN(const ControlGradient gradient,
                      Read(op, translation->program));
  const auto ran = translation->ran.find(gradient.forward_block);
  if (ran == translation->ran.end()) {
    return ArgumentError(kSubBlock, "the gradient of a block that ran before",
                         absl::StrCat("of block ", gradient.forward_block));
  }
  SY_ASSIGN_OR_RETURN(const std::vector<ir::Value> targets,
                      Targets(gradient, ran->second));
  Reverse reverse(&builder);
  reverse.sums().Require(targets);
  if (const ir::Operation* const forward = ran->second.operation) {
    SY_RETURN_IF_ERROR(CheckRoom(*forward, &translation->budget));
    Mark(*forward, &reverse.sums());
    for (const auto& [variable, name] : gradient.given) {
      const auto result = ran->second.after.find(variable);
      const bool there = scope->Get(name) || scope->FindArray(name) != nullptr;
      if (result == ran->second.after.end() || !there) continue;
      SY_ASSIGN_OR_RETURN(const ir::Value given,
                          ReadVariable(builder, *scope, name));
      SY_ASSIGN_OR_RETURN(
          const ir::Value fitted,
          AsGradientOf(builder, name, given, variable, result->second));
      SY_RETURN_IF_ERROR(reverse.sums().Accumulate(result->second, fitted));
    }
    SY_RETURN_IF_ERROR(reverse.Visit(*forward));
  }
  for (const std::string& counter : CountersBack(op, translation->program)) {
    const auto before = ran->second.before.find(counter);
    if (before != ran->second.before.end()) {
      scope->Set(counter, before->second);
    }
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    SY_RETURN_IF_ERROR(WriteGradient(builder, targets[i],
                                     gradient.wanted[i].gradient,
                                     reverse.sums(), *translation, scope));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
