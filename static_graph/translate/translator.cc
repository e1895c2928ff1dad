// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translator.h"

#include <limits>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "phi/legacy/every_operator.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/translate/array_variables.h"
#include "static_graph/translate/check_operators.h"
#include "static_graph/translate/map_operator.h"
#include "static_graph/translate/program_ports.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;
using translate::VarDesc;

class Translator {
 public:
  Translator(const translate::BlockDesc& block, ir::Program* program)
      : block_(block),
        program_(program),
        builder_(program->context(), &program->entry()) {}

  absl::Status Run();
  std::vector<StateVariable> TakeStates() { return std::move(states_); }

 private:
  absl::Status AddFeeds();
  absl::Status AddStates();
  absl::Status Translate(const OpDesc& op);
  absl::Status TranslateCall(const OpDesc& op, const phi::LegacyForm& form,
                             const DialectOp& ours);
  void SetDevice(const std::string& device,
                 absl::Span<const ir::Value> results);
  absl::Status Supply(const OpDesc& op, const phi::OpInfo& info,
                      absl::Span<const int> suppliers,
                      std::vector<Attribute>* attributes,
                      std::vector<SuppliedAttr>* supplied);
  absl::StatusOr<std::vector<ir::Value>> Operands(
      const OpDesc& op, const phi::LegacyInputs& inputs);
  absl::Status BindResults(const OpDesc& op, const phi::LegacyForm& form,
                           const phi::ArgList<const ir::Value>& results);
  absl::Status Bind(const std::string& variable, ir::Value value);
  absl::Status CheckDescription(const std::string& variable,
                                ir::TensorType type) const;
  absl::Status Return();
  absl::StatusOr<ir::Value> Read(const std::string& variable);

  const translate::BlockDesc& block_;
  ir::Program* program_;
  ir::Builder builder_;
  ProgramPorts ports_;
  std::vector<StateVariable> states_;
  Variables variables_;
  HashSet<std::string> read_;  // Variables that are fetched or read.
  // The value of each variable at this point; null: none of use.
  HashMap<std::string, ir::Value> values_;
};

absl::Status Translator::Run() {
  for (const VarDesc& variable : block_.vars()) {
    variables_[variable.name()] = &variable;
  }
  SY_ASSIGN_OR_RETURN(ports_, FindPorts(block_));
  for (const OpDesc& op : block_.ops()) {
    for (const OpDesc::Var& slot : op.inputs()) {
      read_.insert(slot.arguments().begin(), slot.arguments().end());
    }
  }
  for (const ProgramPorts::Fetch& fetch : ports_.fetches) {
    read_.insert(fetch.variable);
  }
  SY_RETURN_IF_ERROR(AddFeeds());
  SY_RETURN_IF_ERROR(AddStates());
  for (int i = 0; i < block_.ops_size(); ++i) {
    const OpDesc& op = block_.ops(i);
    if (IsPort(op.type())) continue;
    builder_.SetLocation(builder_.context()->GetLocation(
        program_->name(), static_cast<int>(block_.idx()), i));
    const absl::Status status = Translate(op);
    if (!status.ok()) {
      return Annotate(status, OperatorPlace(block_.idx(), i, op.type()));
    }
  }
  SY_RETURN_IF_ERROR(Return());
  return ir::Verify(*program_);
}

absl::Status Translator::AddFeeds() {
  for (const std::string& name : ports_.feeds) {
    const auto variable = variables_.find(name);
    if (variable == variables_.end()) {
      return ArgumentError("feed", "a variable of the program",
                           absl::StrCat("'", name, "'"));
    }
    SY_ASSIGN_OR_RETURN(const TensorSpec spec,
                        SpecOfVariable(*variable->second));
    ir::Value& value = values_[name];
    if (value) {
      return ArgumentError("feed", "another variable each",
                           absl::StrCat("'", name, "' twice"));
    }
    value = program_->AddFeed(name, builder_.context()->GetTensorType(spec));
  }
  return absl::OkStatus();
}

absl::Status Translator::AddStates() {
  for (const VarDesc& variable : block_.vars()) {
    // Persistable, but no tensors: the lists of feeds and fetches and the like.
    if (!variable.persistable()) continue;
    if (IsKind(variable, VariableKind::kTensorArray)) {
      return ArgumentError(absl::StrCat("variable '", variable.name(), "'"),
                           "a dense tensor, since it is persistable",
                           "a tensor array");
    }
    if (!IsKind(variable, VariableKind::kDenseTensor)) continue;
    SY_ASSIGN_OR_RETURN(const TensorSpec spec, SpecOfVariable(variable));
    const std::string& name = variable.name();
    if (!spec.shape.known()) {
      return ArgumentError(absl::StrCat("variable '", name, "'"),
                           "of known shape, since it is persistable",
                           ToString(spec.shape));
    }
    ir::Value& value = values_[name];
    if (value) {
      return ArgumentError(absl::StrCat("variable '", name, "'"),
                           "either fed or persistable", "both");
    }
    value = program_->AddState(name, builder_.context()->GetTensorType(spec));
    states_.push_back({name, spec});
  }
  return absl::OkStatus();
}

absl::StatusOr<ir::Value> Translator::Read(const std::string& variable) {
  const auto found = values_.find(variable);
  if (found != values_.end() && found->second) return found->second;
  if (const VarDesc* array = FindArray(variables_, variable)) {
    SY_ASSIGN_OR_RETURN(const ir::Value none,
                        BuildEmptyArray(builder_, *array));
    values_[variable] = none;
    return none;
  }
  return ArgumentError(absl::StrCat("variable '", variable, "'"),
                       "written before it is read", "nothing");
}

absl::Status Translator::Translate(const OpDesc& op) {
  const phi::LegacyForm* form = phi::FindLegacyForm(op.type());
  const DialectOp* ours =
      form == nullptr ? nullptr
                      : FindOperator(*builder_.context(), form->op->name);
  if (ours == nullptr) {
    return absl::UnimplementedError("the context must have the operator");
  }
  if (UpdatedSlot(*form) == nullptr) return TranslateCall(op, *form, *ours);
  return TranslateCall(WithPrevious(op, *form, variables_), *form, *ours);
}

absl::Status Translator::TranslateCall(const OpDesc& op,
                                       const phi::LegacyForm& form,
                                       const DialectOp& ours) {
  SY_ASSIGN_OR_RETURN(MappedOperator mapped, MapOperator(op, form));
  const phi::LegacyInputs& inputs = mapped.inputs;
  std::vector<SuppliedAttr> supplied;
  SY_RETURN_IF_ERROR(
      Supply(op, *form.op, inputs.suppliers, &mapped.attributes, &supplied));
  std::vector<AttrRef> attrs;
  for (const Attribute& attribute : mapped.attributes) {
    attrs.push_back(attribute.ref());
  }
  SY_ASSIGN_OR_RETURN(const std::vector<ir::Value> operands,
                      Operands(op, inputs));
  const phi::ArgSegments segments = inputs.tensors.segments();
  phi::ArgLayout outputs;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(*form.op, segments, attrs, &outputs));
  std::vector<ir::Value> results;
  BuildOpOptions options;
  options.supplied = supplied;
  SY_RETURN_IF_ERROR(
      BuildOp(builder_, ours, {operands, segments}, attrs, &results, options));
  if (!mapped.options.device.empty()) {
    SetDevice(mapped.options.device, results);
  }
  return BindResults(op, form, {results, outputs.segments()});
}

// Says of the operation with these results where it shall run: lowering, which
// knows where the program runs, honours or refuses it.
void Translator::SetDevice(const std::string& device,
                           absl::Span<const ir::Value> results) {
  ir::Context* context = builder_.context();
  for (ir::Value result : results) {
    if (!result) continue;
    result.defining_op()->SetAttribute(
        context->GetString(kOpDeviceAttr),
        context->GetAttribute(AttrRef(std::string_view(device))));
  }
}

// Sets attributes that tensors supply: a dtype is the tensor's own, elements
// are read when the program runs.
absl::Status Translator::Supply(const OpDesc& op, const phi::OpInfo& info,
                                absl::Span<const int> suppliers,
                                std::vector<Attribute>* attributes,
                                std::vector<SuppliedAttr>* supplied) {
  for (size_t i = 0; i < suppliers.size(); ++i) {
    if (suppliers[i] < 0) continue;
    const OpDesc::Var& slot = op.inputs(suppliers[i]);
    SuppliedAttr attr;
    attr.attr = static_cast<int>(i);
    for (const std::string& variable : slot.arguments()) {
      SY_ASSIGN_OR_RETURN(attr.values.emplace_back(), Read(variable));
    }
    if (info.attrs[i].type == AttrType::kDataType) {
      if (attr.values.empty()) {
        return ArgumentError(slot.parameter(), "one tensor", "none");
      }
      (*attributes)[i] =
          Attribute(AttrRef(attr.values[0].tensor_type().dtype()));
    } else if (!info.attrs[i].supplied) {
      return absl::UnimplementedError(absl::StrCat(
          slot.parameter(), " must be absent, since the attribute ",
          info.attrs[i].name, " must be known before the run"));
    } else {
      supplied->push_back(std::move(attr));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ir::Value>> Translator::Operands(
    const OpDesc& op, const phi::LegacyInputs& inputs) {
  std::vector<ir::Value> operands;
  for (const phi::LegacyTensor& tensor : inputs.tensors) {
    operands.emplace_back();
    if (tensor.input < 0) continue;
    SY_ASSIGN_OR_RETURN(
        operands.back(),
        Read(op.inputs(tensor.input).arguments(tensor.position)));
  }
  return operands;
}

absl::Status Translator::BindResults(
    const OpDesc& op, const phi::LegacyForm& form,
    const phi::ArgList<const ir::Value>& results) {
  for (const OpDesc::Var& slot : op.outputs()) {
    const phi::LegacySlot* known = form.output(slot.parameter());
    if (known == nullptr) {
      return ArgumentError("outputs", "those of the operator",
                           slot.parameter());
    }
    const bool used = known->argument >= 0;
    const absl::Span<const ir::Value> values =
        used ? results.list(known->argument) : absl::Span<const ir::Value>();
    if (used && static_cast<size_t>(slot.arguments_size()) > values.size()) {
      return ArgumentError(
          slot.parameter(),
          absl::StrCat("at most ", values.size(), " variables"),
          absl::StrCat(slot.arguments_size()));
    }
    for (int i = 0; i < slot.arguments_size(); ++i) {
      SY_RETURN_IF_ERROR(
          Bind(slot.arguments(i), used ? values[i] : ir::Value()));
    }
  }
  return absl::OkStatus();
}

// `value` is what the variable holds from here on.
absl::Status Translator::Bind(const std::string& variable, ir::Value value) {
  values_[variable] = value;
  if (!value) return absl::OkStatus();
  value.SetHint(builder_.context()->GetString(variable));
  // The description of a value that nobody reads says nothing, often not even
  // extents.
  if (read_.count(variable) == 0) return absl::OkStatus();
  return CheckDescription(variable, value.tensor_type());
}

absl::Status Translator::CheckDescription(const std::string& variable,
                                          ir::TensorType type) const {
  const bool array = type.kind() == TensorKind::kTensorArray;
  const auto described = variables_.find(variable);
  if (described == variables_.end() ||
      !IsKind(*described->second, array ? VariableKind::kTensorArray
                                        : VariableKind::kDenseTensor)) {
    return ArgumentError(
        absl::StrCat("variable '", variable, "'"),
        absl::StrCat("a ", array ? "tensor array" : "dense tensor",
                     " of the program"),
        "another");
  }
  if (!array && !described->second->type().has_dense_tensor()) {
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const TensorSpec spec,
                      SpecOfVariable(*described->second));
  // The elements of an array are described as of the last write; programs of
  // before 2.5 describe a scalar as [1].
  const bool same_shape = array || MayEqual(spec.shape, type.shape()) ||
                          (spec.shape == Shape{1} && type.shape().rank() == 0);
  if (spec.dtype != type.dtype() || !same_shape) {
    return ArgumentError(
        absl::StrCat("variable '", variable, "'"),
        absl::StrCat(std::string(Name(spec.dtype)), ToString(spec.shape),
                     " as described"),
        absl::StrCat(std::string(Name(type.dtype())), ToString(type.shape())));
  }
  return absl::OkStatus();
}

absl::Status Translator::Return() {
  std::vector<ir::NamedValue> fetches;
  for (const ProgramPorts::Fetch& fetch : ports_.fetches) {
    absl::StatusOr<ir::Value> value = Read(fetch.variable);
    if (!value.ok()) return Annotate(value.status(), "fetch");
    fetches.push_back({fetch.name, *value});
  }
  std::vector<ir::NamedValue> new_states;
  for (const StateVariable& state : states_) {
    SY_ASSIGN_OR_RETURN(const ir::Value value, Read(state.name));
    if (value != program_->FindArgument(ir::ArgumentRole::kState, state.name)) {
      new_states.push_back({state.name, value});
    }
  }
  program_->Return(fetches, new_states);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TranslatedProgram> TranslateProgram(
    const translate::ProgramDesc& desc, std::string_view name,
    ir::Context* context) {
  SY_RETURN_IF_ERROR(CheckOperators(desc));
  ir::Program program(context, name);
  Translator translator(desc.blocks(0), &program);
  SY_RETURN_IF_ERROR(translator.Run());
  return TranslatedProgram{std::move(program), translator.TakeStates()};
}

}  // namespace switchyard::static_graph
