// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_translator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/translate/json/check_json_operators.h"
#include "static_graph/translate/json/json_call.h"
#include "static_graph/translate/json/json_constants.h"
#include "static_graph/translate/json/json_ports.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

absl::Status NoOperator() {
  return absl::UnimplementedError("the context must have the operator");
}

class Translator {
 public:
  explicit Translator(ir::Program* program)
      : program_(program),
        builder_(program->context(), &program->entry()),
        ports_(program) {}

  absl::Status Run(const JsonBlock& main);
  std::vector<StateVariable> TakeStates() { return ports_.TakeStates(); }

 private:
  using Method = absl::Status (Translator::*)(const JsonOperator&);
  // Those that IsJsonOnly() knows, and what needs more than a call.
  static Method MethodOf(std::string_view name);
  absl::Status AddParameter(const JsonOperator& op);
  absl::Status AddFeed(const JsonOperator& op);
  absl::Status AddFetch(const JsonOperator& op);
  absl::Status AddNamed(const JsonOperator& op);
  absl::Status Combine(const JsonOperator& op);
  absl::Status Split(const JsonOperator& op);
  absl::Status Element(const JsonOperator& op);
  absl::Status Fill(const JsonOperator& op);
  absl::Status FillIntegers(const JsonOperator& op);

  absl::Status Block(const JsonBlock& block);
  absl::Status Translate(const JsonOperator& op);
  absl::Status Call(const JsonOperator& op, const DialectOp& ours);
  absl::Status Supply(const JsonOperator& op, const phi::OpInfo& info,
                      JsonCall* call, std::vector<SuppliedAttr>* supplied);
  absl::Status BindResults(const JsonOperator& op,
                           const phi::ArgList<const ir::Value>& results);
  void Overwrite(const JsonOperator& op, const DialectOp& ours,
                 const phi::LegacyInputs& inputs,
                 const phi::ArgList<const ir::Value>& results);
  absl::Status CheckDescription(const JsonValue& described,
                                ir::Value value) const;
  absl::StatusOr<ir::Value> One(const JsonOperator& op, size_t operand) const;
  const Values& ValuesOf(int64_t id) const;
  void Mark(const JsonBlock& block);

  ir::Program* program_;
  ir::Builder builder_;
  JsonPorts ports_;
  HashSet<int64_t> used_;  // Values that operators read.
  HashMap<int64_t, Values> values_;
};

absl::Status Translator::Run(const JsonBlock& main) {
  Mark(main);
  SY_RETURN_IF_ERROR(Block(main));
  ports_.Return([this](int64_t id) { return ValuesOf(id)[0]; });
  return ir::Verify(*program_);
}

void Translator::Mark(const JsonBlock& block) {
  for (const JsonOperator& op : block.operators) {
    used_.insert(op.operands.begin(), op.operands.end());
    for (const JsonBlock& inner : op.blocks) Mark(inner);
  }
}

absl::Status Translator::Block(const JsonBlock& block) {
  for (const JsonOperator& op : block.operators) {
    builder_.SetLocation(builder_.context()->GetLocation(
        program_->name(), static_cast<int>(block.number),
        static_cast<int>(op.index)));
    const absl::Status status = Translate(op);
    if (!status.ok()) return Annotate(status, JsonPlace(block, op));
  }
  return absl::OkStatus();
}

Translator::Method Translator::MethodOf(std::string_view name) {
  static const HashMap<std::string_view, Method> methods = {
      {"builtin.combine", &Translator::Combine},
      {"builtin.parameter", &Translator::AddParameter},
      {"builtin.set_parameter", &Translator::AddNamed},
      {"builtin.shadow_output", &Translator::AddNamed},
      {"builtin.slice", &Translator::Element},
      {"builtin.split", &Translator::Split},
      {"data", &Translator::AddFeed},
      {"fetch", &Translator::AddFetch},
      {"full", &Translator::Fill},
      {"full_int_array", &Translator::FillIntegers}};
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : found->second;
}

absl::Status Translator::Translate(const JsonOperator& op) {
  if (!op.blocks.empty()) {
    return absl::UnimplementedError("blocks of operators are not translated");
  }
  if (const Method method = MethodOf(op.name)) return (this->*method)(op);
  const DialectOp* ours = FindFunctional(*builder_.context(), op.name);
  if (ours == nullptr) return NoOperator();
  return Call(op, *ours);
}

const Values& Translator::ValuesOf(int64_t id) const {
  static const Values none;
  const auto found = values_.find(id);
  return found == values_.end() ? none : found->second;
}

absl::StatusOr<ir::Value> Translator::One(const JsonOperator& op,
                                          size_t operand) const {
  const Values& values =
      ValuesOf(operand < op.operands.size() ? op.operands[operand] : 0);
  if (values.size() == 1 && values[0]) return values[0];
  return ArgumentError(absl::StrCat("operand ", operand), "one tensor",
                       absl::StrCat(values.size()));
}

absl::Status Translator::AddParameter(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, ports_.AddParameter(op));
  values_[op.results[0].id] = {value};
  return absl::OkStatus();
}

absl::Status Translator::AddFeed(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, ports_.AddFeed(op));
  values_[op.results[0].id] = {value};
  return absl::OkStatus();
}

absl::Status Translator::AddFetch(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, One(op, 0));
  return ports_.AddFetch(op, value);
}

absl::Status Translator::AddNamed(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, One(op, 0));
  return ports_.AddNamed(op, value);
}

absl::Status Translator::Combine(const JsonOperator& op) {
  Values list;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    SY_ASSIGN_OR_RETURN(list.emplace_back(), One(op, i));
  }
  if (op.results.size() != 1) {
    return ArgumentError("results", "1", absl::StrCat(op.results.size()));
  }
  values_[op.results[0].id] = std::move(list);
  return absl::OkStatus();
}

absl::Status Translator::Split(const JsonOperator& op) {
  const Values list = ValuesOf(op.operands.empty() ? 0 : op.operands[0]);
  if (list.size() != op.results.size()) {
    return ArgumentError("results", absl::StrCat(list.size()),
                         absl::StrCat(op.results.size()));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    values_[op.results[i].id] = {list[i]};
  }
  return absl::OkStatus();
}

absl::Status Translator::Element(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const Attribute index,
                      JsonAttribute(op, "index", AttrType::kInt64));
  const Values list = ValuesOf(op.operands.empty() ? 0 : op.operands[0]);
  const auto at = index.ref().Get<int64_t>();
  if (at < 0 || static_cast<size_t>(at) >= list.size() ||
      op.results.size() != 1) {
    return ArgumentError("index", absl::StrCat("in [0, ", list.size(), ")"),
                         absl::StrCat(at));
  }
  values_[op.results[0].id] = {list[at]};
  return absl::OkStatus();
}

absl::Status Translator::FillIntegers(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const Attribute value,
                      JsonAttribute(op, "value", AttrType::kInt64s));
  if (op.results.size() != 1) {
    return ArgumentError("results", "1", absl::StrCat(op.results.size()));
  }
  SY_ASSIGN_OR_RETURN(
      ir::Value list,
      BuildIntegers(builder_, value.ref().Get<absl::Span<const int64_t>>()));
  SY_ASSIGN_OR_RETURN(list,
                      BuildCast(builder_, list, op.results[0].type.spec.dtype));
  values_[op.results[0].id] = {list};
  return CheckDescription(op.results[0], list);
}

// Small ones are constants, which become attributes of others.
absl::Status Translator::Fill(const JsonOperator& op) {
  if (op.results.size() == 1 && op.operands.empty() &&
      op.results[0].type.kind == JsonType::Kind::kTensor &&
      op.results[0].type.spec.shape.known()) {
    SY_ASSIGN_OR_RETURN(const Attribute value,
                        JsonAttribute(op, "value", AttrType::kScalar));
    const TensorSpec& spec = op.results[0].type.spec;
    SY_ASSIGN_OR_RETURN(
        const ir::Value filled,
        BuildFilled(builder_, spec.shape, value.ref().Get<const Scalar&>(),
                    spec.dtype));
    if (filled) {
      values_[op.results[0].id] = {filled};
      return absl::OkStatus();
    }
  }
  const DialectOp* ours = FindFunctional(*builder_.context(), op.name);
  if (ours == nullptr) return NoOperator();
  return Call(op, *ours);
}

absl::Status Translator::Call(const JsonOperator& op, const DialectOp& ours) {
  const phi::OpInfo& info = *ours.info;
  std::vector<size_t> counts;
  for (const int64_t id : op.operands) counts.push_back(ValuesOf(id).size());
  SY_ASSIGN_OR_RETURN(JsonCall call, MapJsonOperator(op, info, counts));
  std::vector<SuppliedAttr> supplied;
  SY_RETURN_IF_ERROR(Supply(op, info, &call, &supplied));
  std::vector<AttrRef> attrs;
  for (const Attribute& attr : call.attributes) attrs.push_back(attr.ref());
  Values operands;
  for (const phi::LegacyTensor& tensor : call.inputs.tensors) {
    operands.emplace_back();
    if (tensor.input < 0) continue;
    operands.back() = ValuesOf(op.operands[tensor.input])[tensor.position];
  }
  const phi::ArgSegments segments = call.inputs.tensors.segments();
  phi::ArgLayout outputs;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(info, segments, attrs, &outputs));
  Values results;
  BuildOpOptions options;
  options.supplied = supplied;
  SY_RETURN_IF_ERROR(
      BuildOp(builder_, ours, {operands, segments}, attrs, &results, options));
  const phi::ArgList<const ir::Value> outputs_of_call(results,
                                                      outputs.segments());
  SY_RETURN_IF_ERROR(BindResults(op, outputs_of_call));
  if (op.name.back() == '_') Overwrite(op, ours, call.inputs, outputs_of_call);
  return absl::OkStatus();
}

// Sets attributes that operands give: of constants now, else when the program
// runs.
absl::Status Translator::Supply(const JsonOperator& op, const phi::OpInfo& info,
                                JsonCall* call,
                                std::vector<SuppliedAttr>* supplied) {
  for (size_t i = 0; i < call->inputs.suppliers.size(); ++i) {
    const int supplier = call->inputs.suppliers[i];
    if (supplier < 0) continue;
    const phi::AttrInfo& attr = info.attrs[i];
    SuppliedAttr given;
    given.attr = static_cast<int>(i);
    given.values = Unstacked(ValuesOf(op.operands[supplier]));
    SY_ASSIGN_OR_RETURN(std::optional<Attribute> known,
                        KnownAttribute(attr.name, given.values, attr.type));
    if (known.has_value()) {
      call->attributes[i] = *std::move(known);
    } else if (attr.supplied) {
      supplied->push_back(std::move(given));
    } else {
      return absl::UnimplementedError(absl::StrCat(
          attr.name, " must be known before the run, got a computed value"));
    }
  }
  return absl::OkStatus();
}

absl::Status Translator::BindResults(
    const JsonOperator& op, const phi::ArgList<const ir::Value>& results) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    const JsonValue& result = op.results[i];
    if (static_cast<int>(i) >= results.arguments()) break;
    const absl::Span<const ir::Value> list = results.list(static_cast<int>(i));
    if (used_.count(result.id) == 0) continue;
    if (list.size() == 1) {
      SY_RETURN_IF_ERROR(CheckDescription(result, list[0]));
    }
    values_[result.id] = Values(list.begin(), list.end());
  }
  return absl::OkStatus();
}

// An operator whose name ends in "_" writes over inputs: what reads them behind
// it reads its results.
void Translator::Overwrite(const JsonOperator& op, const DialectOp& ours,
                           const phi::LegacyInputs& inputs,
                           const phi::ArgList<const ir::Value>& results) {
  for (int k = 0; k < results.arguments(); ++k) {
    const int input = ours.info->outputs[k].inplace_of;
    const absl::Span<const ir::Value> list = results.list(k);
    if (input < 0 || list.size() != 1 || !list[0]) continue;
    if (inputs.tensors.list(input).size() != 1) continue;
    const int operand = inputs.tensors.list(input)[0].input;
    if (operand >= 0) values_[op.operands[operand]] = {list[0]};
  }
}

absl::Status Translator::CheckDescription(const JsonValue& described,
                                          ir::Value value) const {
  const JsonType& type = described.type;
  if (!value || type.kind != JsonType::Kind::kTensor) return absl::OkStatus();
  const ir::TensorType ours = value.tensor_type();
  if (type.spec.dtype == ours.dtype() && type.spec.kind == ours.kind() &&
      MayEqual(type.spec.shape, ours.shape())) {
    return absl::OkStatus();
  }
  return ArgumentError(
      absl::StrCat("value ", described.id),
      absl::StrCat(std::string(Name(type.spec.dtype)),
                   ToString(type.spec.shape), " as described"),
      absl::StrCat(std::string(Name(ours.dtype())), ToString(ours.shape())));
}

}  // namespace

absl::StatusOr<TranslatedProgram> TranslateJsonProgram(const JsonBlock& main,
                                                       std::string_view name,
                                                       ir::Context* context) {
  SY_RETURN_IF_ERROR(CheckJsonOperators(main, *context));
  ir::Program program(context, name);
  Translator translator(&program);
  SY_RETURN_IF_ERROR(translator.Run(main));
  return TranslatedProgram{std::move(program), translator.TakeStates()};
}

}  // namespace switchyard::static_graph
