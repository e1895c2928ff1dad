// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translate_operator.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/legacy/forms/every_operator.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/translate/array_variables.h"
#include "static_graph/translate/control/structured_control.h"
#include "static_graph/translate/gradient_operator.h"
#include "static_graph/translate/json/json_constants.h"
#include "static_graph/translate/map_operator.h"
#include "static_graph/translate/sequences.h"

namespace switchyard::static_graph {
namespace {

// One operator that is being translated.
class OperatorTranslator {
 public:
  OperatorTranslator(const ForeignOperator& op, const phi::LegacyForm& form,
                     ir::Builder& builder, VariableScope* scope,
                     Translation* translation)
      : op_(op),
        form_(form),
        builder_(builder),
        scope_(*scope),
        translation_(*translation) {}

  absl::StatusOr<BuiltCall> Build();
  absl::Status BindResults(const BuiltCall& call);

 private:
  absl::StatusOr<std::vector<ir::Value>> Operands(MappedOperator* mapped,
                                                  ir::Value* undescribed);
  absl::Status CheckSeed() const;
  absl::Status Supply(MappedOperator* mapped,
                      std::vector<SuppliedAttr>* supplied);
  absl::Status SupplyConstants(SuppliedAttr attr, MappedOperator* mapped,
                               std::vector<SuppliedAttr>* supplied) const;
  std::string PolicyText(const phi::CallOptions& options) const;
  void SetText(const char* name, const std::string& text,
               absl::Span<const ir::Value> results);
  void BindShape(const ForeignSlot& slot);

  const ForeignOperator& op_;
  const phi::LegacyForm& form_;
  ir::Builder& builder_;
  VariableScope& scope_;
  Translation& translation_;
};

absl::StatusOr<BuiltCall> OperatorTranslator::Build() {
  const DialectOp* const ours =
      FindOperator(*builder_.context(), form_.op->name);
  if (ours == nullptr) {
    return absl::UnimplementedError("the context must have the operator");
  }
  SY_ASSIGN_OR_RETURN(MappedOperator mapped, MapOperator(op_, form_));
  if (translation_.json) {
    mapped.options = phi::CallOptions();
    mapped.options.seed = SeedOf(op_);
  }
  std::vector<SuppliedAttr> supplied;
  SY_RETURN_IF_ERROR(Supply(&mapped, &supplied));
  BuiltCall call;
  SY_ASSIGN_OR_RETURN(call.operands, Operands(&mapped, &call.undescribed));
  std::vector<AttrRef> attrs;
  for (const Attribute& attribute : mapped.attributes) {
    attrs.push_back(attribute.ref());
  }
  const phi::ArgSegments segments = mapped.inputs.tensors.segments();
  SY_RETURN_IF_ERROR(
      phi::LayOutOutputs(*form_.op, segments, attrs, &call.outputs));
  BuildOpOptions options;
  options.supplied = supplied;
  SY_RETURN_IF_ERROR(BuildOp(builder_, *ours, {call.operands, segments}, attrs,
                             &call.results, options));
  // Lowering, which knows where the program runs and which kernels there are,
  // honours or refuses them.
  SetText(kOpDeviceAttr, mapped.options.device, call.results);
  SetText(kPolicyAttr, PolicyText(mapped.options), call.results);
  return call;
}

absl::StatusOr<std::vector<ir::Value>> OperatorTranslator::Operands(
    MappedOperator* mapped, ir::Value* undescribed) {
  std::vector<ir::Value> operands;
  for (const phi::LegacyTensor& tensor : mapped->inputs.tensors) {
    operands.emplace_back();
    if (tensor.input < 0) continue;
    const ForeignSlot& slot = op_.inputs[tensor.input];
    const std::string& variable = slot.variables[tensor.position];
    if (slot.name != kShapeSlot) {
      SY_ASSIGN_OR_RETURN(operands.back(),
                          ReadVariable(builder_, scope_, variable));
      if (!*undescribed &&
          HasUndescribedSequences(scope_, variable, operands.back())) {
        *undescribed = operands.back();
      }
      continue;
    }
    operands.back() = scope_.GetShaped(variable);
    if (!operands.back()) {
      return ArgumentError(kShapeSlot, "written by an operator with an input X",
                           absl::StrCat("'", variable, "'"));
    }
  }
  const int rng = mapped->draws ? form_.op->input_index("rng") : -1;
  if (rng >= 0) {
    SY_RETURN_IF_ERROR(CheckSeed());
    const size_t at = mapped->inputs.tensors.segments().begin(rng);
    SY_ASSIGN_OR_RETURN(
        operands[at], translation_.random.Draw(builder_, *form_.op,
                                               translation_.loops > 0, mapped));
  }
  return operands;
}

absl::Status OperatorTranslator::CheckSeed() const {
  for (const ForeignSlot& slot : op_.inputs) {
    if (slot.name == "Seed" && slot.count() > 0) {
      return absl::UnimplementedError(
          "Seed must be absent, since a seed must be known before the run");
    }
  }
  return absl::OkStatus();
}

// The attribute that values supply which the program tells already.
// Unimplemented if it does not.
absl::StatusOr<Attribute> KnownNumbers(const ForeignSlot& slot,
                                       const phi::AttrInfo& info,
                                       absl::Span<const ir::Value> values) {
  const absl::Status unknown = absl::UnimplementedError(absl::StrCat(
      slot.name, " must be absent or constant, since the attribute ", info.name,
      " must be known before the run"));
  if (info.type != AttrType::kInt && info.type != AttrType::kInt64 &&
      info.type != AttrType::kInt64s) {
    return unknown;
  }
  SY_ASSIGN_OR_RETURN(const std::vector<AttrValue> elements,
                      GetElements(info, values));
  std::vector<int64_t> known;
  for (AttrValue element : elements) {
    if (!element.known()) return unknown;
    known.push_back(element.value());
  }
  if (info.type != AttrType::kInt64s && known.size() != 1) return unknown;
  return phi::ConvertAttribute(slot.name,
                               info.type == AttrType::kInt64s
                                   ? AttrRef(absl::MakeConstSpan(known))
                                   : AttrRef(known[0]),
                               info.type);
}

// Sets attributes that tensors supply: a dtype is the tensor's own, elements
// are read when the program runs.
absl::Status OperatorTranslator::Supply(MappedOperator* mapped,
                                        std::vector<SuppliedAttr>* supplied) {
  const std::vector<int>& suppliers = mapped->inputs.suppliers;
  for (size_t i = 0; i < suppliers.size(); ++i) {
    if (suppliers[i] < 0) continue;
    const ForeignSlot& slot = op_.inputs[suppliers[i]];
    SuppliedAttr attr;
    attr.attr = static_cast<int>(i);
    for (const std::string& variable : slot.variables) {
      SY_ASSIGN_OR_RETURN(attr.values.emplace_back(),
                          ReadVariable(builder_, scope_, variable));
    }
    const phi::AttrInfo& info = form_.op->attrs[i];
    if (translation_.json) {
      SY_RETURN_IF_ERROR(SupplyConstants(std::move(attr), mapped, supplied));
      continue;
    }
    const phi::LegacySlot* const known = form_.input(slot.name);
    if (known != nullptr && known->gives == attr.attr) {
      if (attr.values.empty()) {
        return ArgumentError(slot.name, "one tensor", "none");
      }
      SY_ASSIGN_OR_RETURN(mapped->attributes[i],
                          phi::ReadGiven(form_, known->name, attr.attr,
                                         attr.values[0].tensor_type().spec(),
                                         mapped->attributes));
    } else if (!info.supplied) {
      SY_ASSIGN_OR_RETURN(mapped->attributes[i],
                          KnownNumbers(slot, info, attr.values));
    } else {
      supplied->push_back(std::move(attr));
    }
  }
  return absl::OkStatus();
}

// Sets an attribute that values supply: of constants now, else when the program
// runs.
absl::Status OperatorTranslator::SupplyConstants(
    SuppliedAttr attr, MappedOperator* mapped,
    std::vector<SuppliedAttr>* supplied) const {
  const phi::AttrInfo& info = form_.op->attrs[attr.attr];
  attr.values = Unstacked(attr.values);
  SY_ASSIGN_OR_RETURN(std::optional<Attribute> constant,
                      KnownAttribute(info.name, attr.values, info.type));
  if (constant.has_value()) {
    mapped->attributes[attr.attr] = *std::move(constant);
  } else if (info.supplied) {
    supplied->push_back(std::move(attr));
  } else {
    return absl::UnimplementedError(absl::StrCat(
        info.name, " must be known before the run, got a computed value"));
  }
  return absl::OkStatus();
}

// Returns the call's attributes about libraries in the words of
// ParseOperationPolicy(); "" if they have no effect.
std::string OperatorTranslator::PolicyText(
    const phi::CallOptions& options) const {
  std::string text;
  const auto add = [&](const std::optional<bool>& use, const char* library) {
    const auto& counting = translation_.libraries;
    if (!use.has_value() || std::find(counting.begin(), counting.end(),
                                      library) == counting.end()) {
      return;
    }
    absl::StrAppend(&text, text.empty() ? "" : ",",
                    *use ? "library=" : "declined=", library);
  };
  add(options.use_onednn, "onednn");
  add(options.use_cudnn, "gpudnn");
  return text;
}

// Gives the operations with these results an attribute, unless it says nothing.
void OperatorTranslator::SetText(const char* name, const std::string& text,
                                 absl::Span<const ir::Value> results) {
  if (text.empty()) return;
  ir::Context* context = builder_.context();
  for (ir::Value result : results) {
    if (!result) continue;
    result.defining_op()->SetAttribute(
        context->GetString(name),
        context->GetAttribute(AttrRef(std::string_view(text))));
  }
}

absl::Status OperatorTranslator::BindResults(const BuiltCall& call) {
  for (const ForeignSlot& slot : op_.outputs) {
    const phi::LegacySlot* known = form_.output(slot.name);
    if (known == nullptr) {
      return ArgumentError("outputs", "those of the operator", slot.name);
    }
    const bool used = known->argument >= 0;
    if (!used && slot.name == kShapeSlot) BindShape(slot);
    const absl::Span<const ir::Value> values =
        used ? call.list().list(known->argument)
             : absl::Span<const ir::Value>();
    if (used && static_cast<size_t>(slot.count()) > values.size()) {
      return ArgumentError(
          slot.name, absl::StrCat("at most ", values.size(), " variables"),
          absl::StrCat(slot.count()));
    }
    for (int i = 0; i < slot.count(); ++i) {
      const std::string& variable = slot.variables[i];
      SY_ASSIGN_OR_RETURN(
          const ir::Value value,
          WithSequences(builder_, scope_, variable, call.operands,
                        call.undescribed, used ? values[i] : ir::Value()));
      SY_RETURN_IF_ERROR(WriteVariable(variable, value, translation_, &scope_));
    }
  }
  return absl::OkStatus();
}

void OperatorTranslator::BindShape(const ForeignSlot& slot) {
  for (const ForeignSlot& input : op_.inputs) {
    const bool one = input.name == kShapedSlot && input.count() == 1;
    const bool each =
        input.name == kOperandsSlot && input.count() == slot.count();
    if (!one && !each) continue;
    for (int i = 0; i < slot.count(); ++i) {
      scope_.SetShaped(slot.variables[i],
                       scope_.Get(input.variables[one ? 0 : i]));
    }
  }
}

// Whether a value that is read is described as of its kind. Its dtype and shape
// are inferred by our operators: a description holds those that the operator's
// version of the day inferred, which runs never looked at.
absl::Status CheckDescription(const std::string& name, ir::TensorType type,
                              const VariableScope& scope) {
  const bool array = type.kind() == TensorKind::kTensorArray;
  const VariableFacts* const described = scope.Find(name);
  // A sparse gradient may be dense here
  // (static_graph/translate/rewrites/rewrite_operators.h), and a rank table is
  // a tensor (ops_gen/ops/rank_table.yaml).
  if (described != nullptr &&
      (described->Is(array ? VariableKind::kTensorArray
                           : VariableKind::kDenseTensor) ||
       (!array && (described->Is(VariableKind::kSelectedRows) ||
                   described->Is(VariableKind::kRankTable))))) {
    return absl::OkStatus();
  }
  return ArgumentError(
      absl::StrCat("variable '", name, "'"),
      absl::StrCat("a ", array ? "tensor array" : "dense tensor",
                   " of the program"),
      "another");
}

// Returns the value that an operator writes to an array: its X.
ir::Value ElementOf(const ForeignOperator& op, const VariableScope& scope) {
  for (const ForeignSlot& slot : op.inputs) {
    if (slot.name == kShapedSlot && slot.count() == 1) {
      return scope.Get(slot.variables[0]);
    }
  }
  return ir::Value();
}

}  // namespace

absl::StatusOr<ir::Value> ReadVariable(ir::Builder& builder,
                                       const VariableScope& scope,
                                       const std::string& name) {
  const ir::Value value = scope.Get(name);
  if (value) return value;
  if (const VariableFacts* array = scope.FindArray(name)) {
    SY_ASSIGN_OR_RETURN(const TensorSpec spec, scope.SpecOf(*array));
    return BuildUnwritten(builder, spec);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("variable '", name, "' is read before it is written"));
}

absl::Status WriteVariable(const std::string& name, ir::Value value,
                           const Translation& translation,
                           VariableScope* scope) {
  scope->Set(name, value);
  // In JSON variables have numbers for names, and their descriptions hold.
  if (!value || translation.json) return absl::OkStatus();
  value.SetHint(translation.into->context()->GetString(name));
  // The description of an unused value is unreliable, often without extents.
  if (!translation.shared.IsRead(name)) return absl::OkStatus();
  return CheckDescription(name, value.tensor_type(), *scope);
}

absl::StatusOr<BuiltCall> BuildCall(const ForeignOperator& op,
                                    const phi::LegacyForm& form,
                                    ir::Builder& builder, VariableScope* scope,
                                    Translation* translation) {
  return OperatorTranslator(op, form, builder, scope, translation).Build();
}

absl::Status TranslateCall(const ForeignOperator& op,
                           const phi::LegacyForm& form, ir::Builder& builder,
                           VariableScope* scope, Translation* translation) {
  OperatorTranslator translator(op, form, builder, scope, translation);
  SY_ASSIGN_OR_RETURN(const BuiltCall built, translator.Build());
  if (translation->block >= 0) {
    translation->mapped.Add(translation->block, translation->index);
  }
  return translator.BindResults(built);
}

absl::Status TranslateOperator(const ForeignOperator& op, ir::Builder& builder,
                               VariableScope* scope, Translation* translation) {
  const phi::LegacyForm* form = phi::FindLegacyForm(op.type);
  if (form == nullptr) {
    return absl::UnimplementedError("the context must have the operator");
  }
  const bool updates = UpdatedSlot(*form) != nullptr;
  if (updates && op.outputs.size() == 1 && op.outputs[0].count() == 1) {
    SY_RETURN_IF_ERROR(BeginArray(op.outputs[0].variables[0],
                                  ElementOf(op, *scope), builder, scope));
  }
  const ForeignOperator call =
      updates ? WithPrevious(op, *form, *scope) : ForeignOperator();
  if (!updates) return TranslateCall(op, *form, builder, scope, translation);
  OperatorTranslator translator(call, *form, builder, scope, translation);
  SY_ASSIGN_OR_RETURN(const BuiltCall built, translator.Build());
  return translator.BindResults(built);
}

}  // namespace switchyard::static_graph
