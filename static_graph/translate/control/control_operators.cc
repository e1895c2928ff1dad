// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control/control_operators.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "phi/legacy/forms/common_attributes.h"

namespace switchyard::static_graph {
namespace {

using Slots = ReusedList<ForeignSlot>;
using Names = std::vector<std::string>;

constexpr char kSubBlock[] = "sub_block";
constexpr char kIsScalarCondition[] = "is_scalar_condition";
// Which variables the old executor must not free in between: of no effect.
constexpr char kSkipDeletion[] = "skip_eager_deletion_vars";

// More values than the old framework ever chooses between, which is two.
constexpr size_t kMaxValues = 16;

// Attributes of recurrent. Others of it say nothing that the slots don't.
constexpr char kReverse[] = "reverse";
constexpr char kExStates[] = "ex_states";
constexpr char kStates[] = "states";

// The slots of a kind: the first holds one variable, but of recurrent.
struct Form {
  Names inputs;
  Names outputs;
};

Form FormOf(ControlKind kind) {
  switch (kind) {
    case ControlKind::kWhile:
      return {{"Condition", "X"}, {"Out", "StepScopes"}};
    case ControlKind::kConditional:
      return {{"Cond", "Input"}, {"Out", "Scope"}};
    case ControlKind::kRecurrent:
      return {{"inputs", "initial_states", "parameters"},
              {"outputs", "step_scopes"}};
    case ControlKind::kSelect:
    case ControlKind::kIf:
    case ControlKind::kNone:
      break;
  }
  return {{"Mask", "X"}, {"Out"}};
}

absl::Status CheckSlots(std::string_view what, const Slots& slots,
                        const Names& names) {
  for (const ForeignSlot& slot : slots) {
    const bool known =
        std::find(names.begin(), names.end(), slot.name) != names.end();
    if (known || slot.variables.empty()) continue;
    return ArgumentError(what, absl::StrCat("of ", absl::StrJoin(names, ", ")),
                         slot.name);
  }
  return absl::OkStatus();
}

std::vector<std::string> VariablesOf(const Slots& slots,
                                     std::string_view name) {
  std::vector<std::string> variables;
  for (const ForeignSlot& slot : slots) {
    if (slot.name != name) continue;
    variables.insert(variables.end(), slot.variables.begin(),
                     slot.variables.end());
  }
  return variables;
}

absl::StatusOr<std::string> OneVariable(const Slots& slots,
                                        std::string_view name) {
  std::vector<std::string> variables = VariablesOf(slots, name);
  if (variables.size() == 1) return std::move(variables[0]);
  return ArgumentError(name, "one variable", absl::StrCat(variables.size()));
}

absl::StatusOr<int> BlockOf(const ForeignAttr& attr) {
  if (attr.kind == ForeignKind::kBlock && attr.present) {
    return static_cast<int>(attr.integer());
  }
  return ArgumentError("attribute 'sub_block'", "the number of a block",
                       absl::StrCat("type ", attr.written_kind));
}

// Reads an attribute that recurrent alone has; false: it is another.
bool ReadRecurrentAttribute(const ForeignAttr& attr, ControlOperator* control) {
  if (attr.name == kExStates || attr.name == kStates) {
    (attr.name == kStates ? control->states : control->ex_states)
        .assign(attr.texts().begin(), attr.texts().end());
    return true;
  }
  return attr.name == "is_train" || attr.name == "has_states";
}

// Reads the attributes. Attributes without an effect are allowed.
absl::Status ReadAttributes(const ForeignOperator& op,
                            ControlOperator* control) {
  const bool runs_block = control->kind != ControlKind::kSelect;
  bool scalar = control->kind != ControlKind::kConditional;
  bool has_block = false;
  for (const ForeignAttr& attr : op.attrs) {
    if (runs_block && attr.name == kSubBlock) {
      SY_ASSIGN_OR_RETURN(control->block, BlockOf(attr));
      has_block = true;
      continue;
    }
    if (control->kind == ControlKind::kRecurrent &&
        ReadRecurrentAttribute(attr, control)) {
      continue;
    }
    if (attr.name == kSkipDeletion || phi::IsWithoutEffect(attr.name)) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(const AttrRef value, attr.Value());
    if (control->kind == ControlKind::kConditional &&
        attr.name == kIsScalarCondition) {
      scalar = !phi::IsNeutral(kIsScalarCondition, value);
    } else if (control->kind == ControlKind::kRecurrent &&
               attr.name == kReverse) {
      control->reverse = !phi::IsNeutral(kReverse, value);
    } else if (!phi::IsNeutral(attr.name, value)) {
      return ArgumentError(attr.name, "absent or neutral", ToString(value));
    }
  }
  if (runs_block && !has_block) {
    return ArgumentError("attribute 'sub_block'", "the number of a block",
                         "none");
  }
  if (scalar) return absl::OkStatus();
  return ArgumentError(kIsScalarCondition, "true, for a Cond of one element",
                       "false");
}

// Reads an operator whose blocks end with a yield.
absl::Status ReadYielding(const ForeignOperator& op, ControlOperator* control) {
  const size_t count = control->kind == ControlKind::kIf ? 2 : 1;
  const absl::Span<const int> blocks = op.blocks();
  if (blocks.size() != count) {
    return ArgumentError("blocks", absl::StrCat(count),
                         absl::StrCat(blocks.size()));
  }
  control->yields = true;
  control->block = blocks[0];
  if (count > 1) control->else_block = blocks[1];
  control->values = VariablesOf(op.inputs, "");
  control->results = VariablesOf(op.outputs, "");
  if (control->values.empty()) {
    return ArgumentError("operand 0", "one tensor", "none");
  }
  control->condition = control->values[0];
  return absl::OkStatus();
}

absl::Status ReadRecurrent(const ForeignOperator& op,
                           ControlOperator* control) {
  SY_RETURN_IF_ERROR(ReadAttributes(op, control));
  control->steps = VariablesOf(op.inputs, "inputs");
  control->initial_states = VariablesOf(op.inputs, "initial_states");
  control->results = VariablesOf(op.outputs, "outputs");
  if (control->steps.empty()) {
    return ArgumentError("inputs", "one variable or more", "none");
  }
  if (control->results.empty()) {
    return ArgumentError("outputs", "one variable or more", "none");
  }
  const size_t count = control->initial_states.size();
  if (control->ex_states.size() == count && control->states.size() == count) {
    return absl::OkStatus();
  }
  return ArgumentError("states",
                       absl::StrCat("as many as initial_states, ", count),
                       absl::StrCat(control->ex_states.size(), " before and ",
                                    control->states.size(), " after a step"));
}

}  // namespace

ControlKind ControlKindOf(std::string_view type) {
  if (type == "while") return ControlKind::kWhile;
  if (type == "if") return ControlKind::kIf;
  if (type == "select_input") return ControlKind::kSelect;
  if (type == "recurrent") return ControlKind::kRecurrent;
  // Paddle's inference passes give it the second name.
  if (type == "conditional_block" || type == "conditional_block_infer") {
    return ControlKind::kConditional;
  }
  return ControlKind::kNone;
}

absl::StatusOr<ControlOperator> ReadControlOperator(const ForeignOperator& op) {
  ControlOperator control;
  control.kind = ControlKindOf(op.type);
  // Only operators of JSON have slots without names.
  if (control.kind == ControlKind::kIf ||
      (!op.inputs.empty() && op.inputs[0].name.empty())) {
    SY_RETURN_IF_ERROR(ReadYielding(op, &control));
    return control;
  }
  const Form form = FormOf(control.kind);
  SY_RETURN_IF_ERROR(CheckSlots("inputs", op.inputs, form.inputs));
  SY_RETURN_IF_ERROR(CheckSlots("outputs", op.outputs, form.outputs));
  if (control.kind == ControlKind::kRecurrent) {
    SY_RETURN_IF_ERROR(ReadRecurrent(op, &control));
    return control;
  }
  SY_ASSIGN_OR_RETURN(control.condition,
                      OneVariable(op.inputs, form.inputs[0]));
  SY_RETURN_IF_ERROR(ReadAttributes(op, &control));
  if (control.kind != ControlKind::kSelect) return control;
  control.values = VariablesOf(op.inputs, "X");
  if (control.values.empty()) {
    return ArgumentError("X", "one variable or more", "none");
  }
  if (control.values.size() > kMaxValues) {
    return ArgumentError("X",
                         absl::StrCat("at most ", kMaxValues, " variables"),
                         absl::StrCat(control.values.size()));
  }
  SY_ASSIGN_OR_RETURN(control.result, OneVariable(op.outputs, "Out"));
  return control;
}

}  // namespace switchyard::static_graph
