// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_translator.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/translate/json/check_json_operators.h"
#include "static_graph/translate/json/json_constants.h"
#include "static_graph/translate/json/json_rewrite.h"
#include "static_graph/translate/json/json_translation.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kGenerator = "rng";

}  // namespace

absl::Status JsonTranslation::Run(JsonBlock main) {
  Mark(main);
  left_ = LoadBudget::MaxTranslated(left_);
  while (!main.operators.empty()) {
    const JsonOperator& op = main.operators.front();
    SY_RETURN_IF_ERROR(Operator(main, op));
    budget_.GiveBack(SizeOf(op));
    main.operators.pop_front();
  }
  SY_RETURN_IF_ERROR(
      ports_.Return([this](int64_t id) { return ValuesOf(id)[0]; },
                    [this](std::vector<ir::NamedValue>* states) {
                      return random_.Advance(*builder_, states);
                    }));
  SY_RETURN_IF_ERROR(budget_.CheckProgram());
  return ir::Verify(*program_);
}

void JsonTranslation::Mark(const JsonBlock& block) {
  constexpr size_t kUsed = 48;
  for (const JsonOperator& op : block.operators) {
    ++left_;
    budget_.Take(kUsed * op.operands.size());
    used_.insert(op.operands.begin(), op.operands.end());
    for (const JsonBlock& inner : op.blocks) Mark(inner);
  }
}

absl::Status JsonTranslation::Block(const JsonBlock& block) {
  for (const JsonOperator& op : block.operators) {
    SY_RETURN_IF_ERROR(Operator(block, op));
  }
  return absl::OkStatus();
}

absl::Status JsonTranslation::Operator(const JsonBlock& block,
                                       const JsonOperator& op) {
  builder_->SetLocation(builder_->context()->GetLocation(
      program_->name(), static_cast<int>(block.number),
      static_cast<int>(op.index)));
  // The entry of a result's values.
  constexpr size_t kValues = 96;
  budget_.Take(kValues * op.results.size());
  absl::Status status = Translate(op);
  if (status.ok()) status = budget_.Check();
  return status.ok() ? status : Annotate(status, JsonPlace(block, op));
}

JsonTranslation::Method JsonTranslation::MethodOf(std::string_view name) {
  static const HashMap<std::string_view, Method> methods = {
      {"builtin.combine", &JsonTranslation::Combine},
      {"builtin.parameter", &JsonTranslation::AddParameter},
      {"builtin.set_parameter", &JsonTranslation::AddNamed},
      {"builtin.shadow_output", &JsonTranslation::AddNamed},
      {"builtin.slice", &JsonTranslation::Element},
      {"builtin.split", &JsonTranslation::Split},
      {"cf.yield", &JsonTranslation::Yield},
      {"data", &JsonTranslation::AddFeed},
      {"fetch", &JsonTranslation::AddFetch},
      {"full", &JsonTranslation::Fill},
      {"full_int_array", &JsonTranslation::FillIntegers},
      {"if", &JsonTranslation::Branch},
      {"while", &JsonTranslation::Loop}};
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : found->second;
}

absl::Status JsonTranslation::TakePort(const JsonOperator& op) {
  size_t texts = 0;
  for (const JsonAttr& attr : op.attrs) {
    if (attr.value.type() != AttrType::kString) continue;
    texts += attr.value.ref().Get<std::string_view>().size();
  }
  budget_.TakePort(texts);
  return budget_.Check();
}

absl::Status JsonTranslation::Translate(const JsonOperator& op) {
  if (--left_ < 0) {
    return absl::UnimplementedError(
        "loops must be nested less deeply, or change fewer extents");
  }
  const Method method = MethodOf(op.name);
  return method != nullptr ? (this->*method)(op) : Call(op);
}

const JsonTranslation::Values& JsonTranslation::ValuesOf(int64_t id) const {
  static const Values none;
  const auto found = values_.find(id);
  return found == values_.end() ? none : found->second;
}

absl::StatusOr<ir::Value> JsonTranslation::One(const JsonOperator& op,
                                               size_t operand) const {
  const Values& values =
      ValuesOf(operand < op.operands.size() ? op.operands[operand] : 0);
  if (values.size() == 1 && values[0]) return values[0];
  return ArgumentError(absl::StrCat("operand ", operand), "one tensor",
                       absl::StrCat(values.size()));
}

// One without weights has no value: what an rnn's dropout_state is, which
// nothing reads.
absl::Status JsonTranslation::AddParameter(const JsonOperator& op) {
  const JsonAttr* const persistable = op.attr(kPersistable);
  if (persistable != nullptr) {
    SY_ASSIGN_OR_RETURN(const Attribute kept,
                        JsonAttribute(op, kPersistable, AttrType::kInt64));
    if (kept.ref().Get<int64_t>() == 0) return absl::OkStatus();
  }
  SY_RETURN_IF_ERROR(TakePort(op));
  SY_ASSIGN_OR_RETURN(const ir::Value value, ports_.AddParameter(op));
  values_[op.results[0].id] = {value};
  return absl::OkStatus();
}

absl::Status JsonTranslation::AddFeed(const JsonOperator& op) {
  SY_RETURN_IF_ERROR(TakePort(op));
  SY_ASSIGN_OR_RETURN(const ir::Value value, ports_.AddFeed(op));
  values_[op.results[0].id] = {value};
  return absl::OkStatus();
}

absl::Status JsonTranslation::AddFetch(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, One(op, 0));
  SY_RETURN_IF_ERROR(TakePort(op));
  return ports_.AddFetch(op, value);
}

absl::Status JsonTranslation::AddNamed(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, One(op, 0));
  SY_RETURN_IF_ERROR(TakePort(op));
  return ports_.AddNamed(op, value);
}

absl::Status JsonTranslation::Combine(const JsonOperator& op) {
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

absl::Status JsonTranslation::Split(const JsonOperator& op) {
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

absl::Status JsonTranslation::Element(const JsonOperator& op) {
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

absl::Status JsonTranslation::FillIntegers(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const Attribute value,
                      JsonAttribute(op, "value", AttrType::kInt64s));
  if (op.results.size() != 1) {
    return ArgumentError("results", "1", absl::StrCat(op.results.size()));
  }
  SY_ASSIGN_OR_RETURN(
      ir::Value list,
      BuildIntegers(*builder_, value.ref().Get<absl::Span<const int64_t>>()));
  SY_ASSIGN_OR_RETURN(
      list, BuildCast(*builder_, list, op.results[0].type.spec->dtype));
  values_[op.results[0].id] = {list};
  return absl::OkStatus();
}

// Small ones are constants, which become attributes of others.
absl::Status JsonTranslation::Fill(const JsonOperator& op) {
  if (op.results.size() == 1 && op.operands.empty() &&
      op.results[0].type.kind == JsonType::Kind::kTensor &&
      op.results[0].type.spec->shape.known()) {
    SY_ASSIGN_OR_RETURN(const Attribute value,
                        JsonAttribute(op, "value", AttrType::kScalar));
    const TensorSpec& spec = *op.results[0].type.spec;
    SY_ASSIGN_OR_RETURN(
        const ir::Value filled,
        BuildFilled(*builder_, spec.shape, value.ref().Get<const Scalar&>(),
                    spec.dtype));
    if (filled) {
      values_[op.results[0].id] = {filled};
      return absl::OkStatus();
    }
  }
  return Call(op);
}

absl::Status JsonTranslation::Call(const JsonOperator& written) {
  const std::optional<JsonOperator> rewritten = AsOurs(written);
  const JsonOperator& op = rewritten.has_value() ? *rewritten : written;
  const DialectOp* const ours = FindFunctional(*builder_->context(), op.name);
  if (ours == nullptr) {
    return absl::UnimplementedError("the context must have the operator");
  }
  if (!op.blocks.empty()) {
    return ArgumentError("operator", "without blocks", "some");
  }
  const phi::OpInfo& info = *ours->info;
  std::vector<size_t> counts;
  for (const int64_t id : op.operands) counts.push_back(ValuesOf(id).size());
  SY_ASSIGN_OR_RETURN(JsonCall call, MapJsonOperator(op, info, counts));
  std::vector<SuppliedAttr> supplied;
  SY_RETURN_IF_ERROR(Supply(op, info, &call, &supplied));
  Values operands;
  for (const phi::LegacyTensor& tensor : call.inputs.tensors) {
    operands.emplace_back();
    if (tensor.input < 0) continue;
    operands.back() = ValuesOf(op.operands[tensor.input])[tensor.position];
  }
  const phi::ArgSegments segments = call.inputs.tensors.segments();
  if (call.draws) {
    const int at = segments.begin(info.input_index(kGenerator));
    SY_ASSIGN_OR_RETURN(operands[at], Draw(op, info, &call));
  }
  std::vector<AttrRef> attrs;
  for (const Attribute& attr : call.attributes) attrs.push_back(attr.ref());
  phi::ArgLayout outputs;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(info, segments, attrs, &outputs));
  Values results;
  BuildOpOptions options;
  options.supplied = supplied;
  SY_RETURN_IF_ERROR(BuildOp(*builder_, *ours, {operands, segments}, attrs,
                             &results, options));
  const phi::ArgList<const ir::Value> outputs_of_call(results,
                                                      outputs.segments());
  SY_RETURN_IF_ERROR(BindResults(op, info, outputs_of_call));
  Overwrite(written, outputs_of_call);
  return absl::OkStatus();
}

// Returns the source of a random operator: its seed, or the generator.
absl::StatusOr<ir::Value> JsonTranslation::Draw(const JsonOperator& op,
                                                const phi::OpInfo& info,
                                                JsonCall* call) {
  MappedOperator mapped;
  mapped.attributes = call->attributes;
  mapped.options.seed = SeedOf(op);
  SY_ASSIGN_OR_RETURN(const ir::Value rng,
                      random_.Draw(*builder_, info, loops_ > 0, &mapped));
  call->attributes = std::move(mapped.attributes);
  return rng;
}

// Sets attributes that operands give: of constants now, else when the program
// runs.
absl::Status JsonTranslation::Supply(const JsonOperator& op,
                                     const phi::OpInfo& info, JsonCall* call,
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

absl::Status JsonTranslation::BindResults(
    const JsonOperator& op, const phi::OpInfo& info,
    const phi::ArgList<const ir::Value>& results) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    const JsonValue& result = op.results[i];
    const int ours = ResultOf(info, op, i);
    if (ours < 0) continue;
    const absl::Span<const ir::Value> list = results.list(ours);
    if (used_.count(result.id) == 0) continue;
    Values bound(list.begin(), list.end());
    if (bound.size() == 1 && op.name == kShapeOp && bound[0]) {
      SY_ASSIGN_OR_RETURN(
          bound[0], BuildCast(*builder_, bound[0], result.type.spec->dtype));
    }
    values_[result.id] = std::move(bound);
  }
  return absl::OkStatus();
}

// Binds an operand that an operator writes over again: to the result, which
// is what later operators read.
void JsonTranslation::Overwrite(const JsonOperator& op,
                                const phi::ArgList<const ir::Value>& results) {
  for (const OverwrittenOperand& one :
       OverwrittenBy(op, *builder_->context())) {
    if (one.output >= results.arguments()) continue;
    const absl::Span<const ir::Value> list = results.list(one.output);
    if (list.size() == 1 && list[0]) values_[one.value] = {list[0]};
  }
}

absl::StatusOr<TranslatedProgram> TranslateJsonProgram(JsonBlock main,
                                                       std::string_view name,
                                                       ir::Context* context,
                                                       const JsonRole& role) {
  SY_RETURN_IF_ERROR(CheckJsonOperators(main, *context));
  ir::Program program(context, name);
  JsonTranslation translation(&program, role, main);
  SY_RETURN_IF_ERROR(translation.Run(std::move(main)));
  return TranslatedProgram{std::move(program), translation.TakeStates()};
}

}  // namespace switchyard::static_graph
