// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json_operator.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/foreign/operator_problems.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/translate/json/json_call.h"
#include "static_graph/translate/json/json_constants.h"
#include "static_graph/translate/map_operator.h"
#include "static_graph/translate/rewrites/json_rewrites.h"
#include "static_graph/translate/translate_operator.h"

namespace switchyard::static_graph {
namespace {

using Variables = ReusedList<std::string>;

// One operator, and the parts that translate it.
struct Site {
  ForeignOperator* op;
  ir::Builder& builder;
  VariableScope& scope;
  Translation& translation;

  const Variables& operands() const { return op->inputs[0].variables; }
  const Variables& results() const { return op->outputs[0].variables; }
  absl::StatusOr<ir::Value> Operand(size_t i) const;
  // Returns the only result; ArgumentError if there is another number of them.
  absl::StatusOr<std::string> Result() const;
  std::optional<TensorSpec> ResultSpec() const {
    return SpecOfResult(
        *op, translation.program,
        [this](const std::string& name) { return scope.Find(name); });
  }
  absl::StatusOr<std::string> Text(const char* name) const;
  // Returns the number of tensors in the list that is the first operand.
  size_t ListSize() const;
};

absl::StatusOr<ir::Value> Site::Operand(size_t i) const {
  const ir::Value value =
      i < operands().size() ? scope.Get(operands()[i]) : ir::Value();
  if (value) return value;
  return ArgumentError(absl::StrCat("operand ", i), "one tensor", "none");
}

absl::StatusOr<std::string> Site::Result() const {
  if (results().size() == 1) return results()[0];
  return ArgumentError("results", "1", absl::StrCat(results().size()));
}

absl::StatusOr<std::string> Site::Text(const char* name) const {
  SY_ASSIGN_OR_RETURN(const Attribute text,
                      AttributeOf(*op, name, AttrType::kString));
  return std::string(text.ref().Get<std::string_view>());
}

size_t Site::ListSize() const {
  const VariableFacts* const facts =
      operands().empty() ? nullptr : scope.Find(operands()[0]);
  const bool list = facts != nullptr && facts->Is(VariableKind::kTensorList);
  return list ? translation.program.TensorsIn(*facts) : 0;
}

absl::Status AddState(const Site& site, const std::string& name) {
  const std::optional<TensorSpec> spec = site.ResultSpec();
  if (!spec.has_value()) {
    return ArgumentError(absl::StrCat("parameter '", name, "'"),
                         "a dense tensor of known shape", "another");
  }
  SY_ASSIGN_OR_RETURN(
      const ir::Value value,
      site.translation.ports.AddState(name, site.results()[0], *spec));
  site.scope.Set(site.results()[0], value);
  return absl::OkStatus();
}

// One without weights has no value, as an rnn's dropout_state, which nothing
// reads.
absl::Status AddParameter(const Site& site) {
  if (site.op->attr(kPersistable) != nullptr) {
    SY_ASSIGN_OR_RETURN(const Attribute kept,
                        AttributeOf(*site.op, kPersistable, AttrType::kInt64));
    if (kept.ref().Get<int64_t>() == 0) return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const std::string name, site.Text(kParameterName));
  return AddState(site, name);
}

absl::Status AddFeed(const Site& site) {
  SY_ASSIGN_OR_RETURN(const std::string name, site.Text("name"));
  const ProgramRole& role = site.translation.role;
  if (role.variables != nullptr && Contains(*role.variables, name)) {
    return AddState(site, name);
  }
  const std::optional<TensorSpec> spec = site.ResultSpec();
  if (!spec.has_value()) {
    return ArgumentError(absl::StrCat("feed '", name, "'"), "one tensor",
                         "another");
  }
  SY_ASSIGN_OR_RETURN(const ir::Value value,
                      site.translation.ports.AddFeed(name, *spec));
  site.scope.Set(site.results()[0], value);
  return absl::OkStatus();
}

absl::Status AddFetch(const Site& site) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, site.Operand(0));
  SY_ASSIGN_OR_RETURN(const std::string name, site.Text("name"));
  SY_ASSIGN_OR_RETURN(const Attribute column,
                      AttributeOf(*site.op, "col", AttrType::kInt64));
  return site.translation.ports.AddFetch(name, column.ref().Get<int64_t>(),
                                         value);
}

// Values that are set or shown under a name leave the program in order.
absl::Status AddNamed(const Site& site) {
  SY_ASSIGN_OR_RETURN(const ir::Value value, site.Operand(0));
  const char* const key =
      site.op->attr(kParameterName) != nullptr ? kParameterName : "output_name";
  SY_ASSIGN_OR_RETURN(const std::string name, site.Text(key));
  TranslatedPorts& ports = site.translation.ports;
  if (site.translation.role.startup) return ports.Initialize(name, value);
  return ports.AddFetch(name, ports.next_column(), value);
}

absl::Status Combine(const Site& site) {
  SY_ASSIGN_OR_RETURN(const std::string list, site.Result());
  for (size_t i = 0; i < site.operands().size(); ++i) {
    SY_ASSIGN_OR_RETURN(const ir::Value value, site.Operand(i));
    site.scope.Set(ElementName(list, i), value);
  }
  return absl::OkStatus();
}

absl::Status Split(const Site& site) {
  const Variables& results = site.results();
  if (site.ListSize() != results.size()) {
    return ArgumentError("results", absl::StrCat(site.ListSize()),
                         absl::StrCat(results.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    site.scope.Set(results[i],
                   site.scope.Get(ElementName(site.operands()[0], i)));
  }
  return absl::OkStatus();
}

absl::Status TakeElement(const Site& site) {
  SY_ASSIGN_OR_RETURN(const std::string result, site.Result());
  SY_ASSIGN_OR_RETURN(const Attribute index,
                      AttributeOf(*site.op, "index", AttrType::kInt64));
  const auto at = index.ref().Get<int64_t>();
  if (at < 0 || static_cast<size_t>(at) >= site.ListSize()) {
    return ArgumentError("index", absl::StrCat("in [0, ", site.ListSize(), ")"),
                         absl::StrCat(at));
  }
  site.scope.Set(result, site.scope.Get(ElementName(site.operands()[0],
                                                    static_cast<size_t>(at))));
  return absl::OkStatus();
}

absl::Status FillIntegers(const Site& site) {
  SY_ASSIGN_OR_RETURN(const Attribute value,
                      AttributeOf(*site.op, "value", AttrType::kInt64s));
  SY_ASSIGN_OR_RETURN(const std::string result, site.Result());
  SY_ASSIGN_OR_RETURN(
      ir::Value list,
      BuildIntegers(site.builder,
                    value.ref().Get<absl::Span<const int64_t>>()));
  const std::optional<TensorSpec> spec = site.ResultSpec();
  if (spec.has_value()) {
    SY_ASSIGN_OR_RETURN(list, BuildCast(site.builder, list, spec->dtype));
  }
  site.scope.Set(result, list);
  return absl::OkStatus();
}

// Leaves the block, which reads it.
absl::Status Yield(const Site&) { return absl::OkStatus(); }

// The types that are none of our operators.
struct {
  std::string_view type;
  absl::Status (*translate)(const Site& site);
} constexpr kJsonOnly[] = {
    {"builtin.combine", Combine},
    {"builtin.parameter", AddParameter},
    {"builtin.set_parameter", AddNamed},
    {"builtin.shadow_output", AddNamed},
    {"builtin.slice", TakeElement},
    {"builtin.split", Split},
    {kYield, Yield},
    {"data", AddFeed},
    {"fetch", AddFetch},
    {"full_int_array", FillIntegers},
};

// Small tensors of one number are constants, which become attributes of other
// calls. Returns false where it is a call.
absl::StatusOr<bool> Fill(const Site& site) {
  if (!site.operands().empty()) return false;
  const std::optional<TensorSpec> spec = site.ResultSpec();
  if (!spec.has_value() || !spec->shape.known()) return false;
  SY_ASSIGN_OR_RETURN(const Attribute value,
                      AttributeOf(*site.op, "value", AttrType::kScalar));
  SY_ASSIGN_OR_RETURN(
      const ir::Value filled,
      BuildFilled(site.builder, spec->shape, value.ref().Get<const Scalar&>(),
                  spec->dtype));
  if (!filled) return false;
  site.scope.Set(site.results()[0], filled);
  return true;
}

absl::Status Call(const Site& site) {
  const DialectOp* const ours =
      FindFunctional(*site.builder.context(), site.op->type);
  if (ours == nullptr) {
    return absl::UnimplementedError("the context must have the operator");
  }
  const std::string written =
      site.results().size() == 1 ? site.results()[0] : std::string();
  const bool shape = site.op->type == kShapeOp;
  const std::optional<TensorSpec> spec =
      shape ? site.ResultSpec() : std::nullopt;
  const auto count = [&](const std::string& name) -> TensorCount {
    const VariableFacts* const facts = site.scope.Find(name);
    if (facts == nullptr || !facts->Is(VariableKind::kTensorList)) {
      return {false, 1};
    }
    return {true, site.translation.program.TensorsIn(*facts)};
  };
  // An operand without a value is left out.
  const auto count_values = [&](const std::string& name) -> TensorCount {
    if (site.scope.Get(name)) return {false, 1};
    const TensorCount counted = count(name);
    if (counted.list && site.scope.Get(ElementName(name, 0))) return counted;
    return {counted.list, 0};
  };
  JsonForm& form = site.translation.json_form;
  SY_RETURN_IF_ERROR(
      NameSlots(*ours->info, count_values, count, site.op, &form));
  SY_RETURN_IF_ERROR(TranslateCall(*site.op, form.form, site.builder,
                                   &site.scope, &site.translation));
  // The result is of the integers that the program says.
  const ir::Value result = shape ? site.scope.Get(written) : ir::Value();
  if (!result || !spec.has_value() ||
      !site.translation.shared.IsRead(written)) {
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const ir::Value as_said,
                      BuildCast(site.builder, result, spec->dtype));
  site.scope.Set(written, as_said);
  return absl::OkStatus();
}

// Returns all names that an operator may have.
std::vector<std::string_view> AllTypes(const ir::Context& context) {
  std::vector<std::string_view> types = {"if", "while"};
  for (const auto& row : kJsonOnly) types.push_back(row.type);
  for (const ir::OpDefinition* op : context.RegisteredOps()) {
    const std::string_view name = op->name;
    if (name.substr(0, kOpPrefix.size()) == kOpPrefix) {
      types.push_back(name.substr(kOpPrefix.size()));
    }
  }
  return types;
}

}  // namespace

bool IsJsonOnly(std::string_view type) {
  for (const auto& row : kJsonOnly) {
    if (row.type == type) return true;
  }
  return false;
}

absl::Status TranslateJsonOperator(ForeignOperator* op, ir::Builder& builder,
                                   VariableScope* scope,
                                   Translation* translation) {
  const Site site = {op, builder, *scope, *translation};
  for (const auto& [type, translate] : kJsonOnly) {
    if (op->type == type) return translate(site);
  }
  if (op->type == "full") {
    SY_ASSIGN_OR_RETURN(const bool filled, Fill(site));
    if (filled) return absl::OkStatus();
  }
  return Call(site);
}

absl::Status CheckJsonOperator(const ForeignBlock& block,
                               const ir::Context& context, bool search,
                               ForeignOperator* op, JsonForm* form) {
  if (IsJsonOnly(op->type)) return absl::OkStatus();
  const DialectOp* const ours = FindFunctional(context, op->type);
  if (ours == nullptr) {
    const std::string nearest =
        search ? NearestName(op->type, AllTypes(context)) : "";
    return absl::UnimplementedError(absl::StrCat(
        "there is no operator of this name",
        nearest.empty() ? "" : absl::StrCat("; the nearest is ", nearest)));
  }
  const auto count = [&](const std::string& name) -> TensorCount {
    const int number = block.IndexOf(name);
    const bool list =
        number >= 0 && block.facts(number).Is(VariableKind::kTensorList);
    return {list, list ? block.program().TensorsIn(block.facts(number)) : 1};
  };
  SY_RETURN_IF_ERROR(NameSlots(*ours->info, count, count, op, form));
  return MapOperator(*op, form->form).status();
}

}  // namespace switchyard::static_graph
