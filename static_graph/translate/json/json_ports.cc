// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_ports.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/translate/json/json_call.h"

namespace switchyard::static_graph {
namespace {

// The text of an attribute that an operator must have.
absl::StatusOr<std::string> TextOf(const JsonOperator& op, const char* name) {
  SY_ASSIGN_OR_RETURN(const Attribute text,
                      JsonAttribute(op, name, AttrType::kString));
  return std::string(text.ref().Get<std::string_view>());
}

}  // namespace

absl::StatusOr<ir::Value> JsonPorts::AddState(const std::string& name,
                                              const JsonOperator& op) {
  if (op.results.size() != 1 ||
      op.results[0].type.kind != JsonType::Kind::kTensor ||
      op.results[0].type.spec->kind != TensorKind::kDense ||
      !op.results[0].type.spec->shape.known()) {
    return ArgumentError(absl::StrCat("parameter '", name, "'"),
                         "a dense tensor of known shape", "another");
  }
  const JsonValue& result = op.results[0];
  if (program_->FindArgument(ir::ArgumentRole::kState, name)) {
    return ArgumentError(absl::StrCat("parameter '", name, "'"), "there once",
                         "twice");
  }
  const ir::Value value = program_->AddState(
      name, program_->context()->GetTensorType(*result.type.spec));
  states_.push_back({name, *result.type.spec});
  parameters_.push_back({name, result.id, value});
  return value;
}

absl::StatusOr<ir::Value> JsonPorts::AddParameter(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const std::string name, TextOf(op, kParameterName));
  return AddState(name, op);
}

absl::StatusOr<ir::Value> JsonPorts::AddFeed(const JsonOperator& op) {
  SY_ASSIGN_OR_RETURN(const std::string name, TextOf(op, "name"));
  if (role_.variables != nullptr && Contains(*role_.variables, name)) {
    return AddState(name, op);
  }
  if (op.results.size() != 1 ||
      op.results[0].type.kind != JsonType::Kind::kTensor) {
    return ArgumentError(absl::StrCat("feed '", name, "'"), "one tensor",
                         "another");
  }
  if (program_->FindArgument(ir::ArgumentRole::kFeed, name)) {
    return ArgumentError(absl::StrCat("feed '", name, "'"), "there once",
                         "twice");
  }
  const JsonValue& result = op.results[0];
  return program_->AddFeed(
      name, program_->context()->GetTensorType(*result.type.spec));
}

absl::Status JsonPorts::AddFetch(const JsonOperator& op, ir::Value value) {
  SY_ASSIGN_OR_RETURN(const std::string name, TextOf(op, "name"));
  SY_ASSIGN_OR_RETURN(const Attribute column,
                      JsonAttribute(op, "col", AttrType::kInt64));
  fetches_.push_back({column.ref().Get<int64_t>(), {name, value}});
  return absl::OkStatus();
}

// Values that are set or shown under a name leave the program in order.
absl::Status JsonPorts::AddNamed(const JsonOperator& op, ir::Value value) {
  const char* const key =
      op.attr(kParameterName) != nullptr ? kParameterName : "output_name";
  SY_ASSIGN_OR_RETURN(const std::string name, TextOf(op, key));
  if (role_.startup) return Initialize(name, value);
  const auto column = static_cast<int64_t>(fetches_.size());
  fetches_.push_back({column, {name, value}});
  return absl::OkStatus();
}

absl::Status JsonPorts::Initialize(const std::string& name, ir::Value value) {
  const TensorSpec spec = value.tensor_type().spec();
  if (spec.kind != TensorKind::kDense || !spec.shape.known()) {
    return ArgumentError(absl::StrCat("variable '", name, "'"),
                         "a dense tensor of known shape", ToString(spec.shape));
  }
  if (program_->FindArgument(ir::ArgumentRole::kState, name)) {
    return ArgumentError(absl::StrCat("variable '", name, "'"), "set once",
                         "twice");
  }
  program_->AddState(name, value.type());
  states_.push_back({name, spec});
  initial_.push_back({name, value});
  return absl::OkStatus();
}

absl::Status JsonPorts::Return(
    absl::FunctionRef<ir::Value(int64_t id)> latest,
    absl::FunctionRef<absl::Status(std::vector<ir::NamedValue>*)> advance) {
  std::stable_sort(
      fetches_.begin(), fetches_.end(),
      [](const Fetch& a, const Fetch& b) { return a.column < b.column; });
  std::vector<ir::NamedValue> fetches;
  HashMap<std::string, int> counts;
  for (Fetch& fetch : fetches_) {
    const int before = counts[fetch.value.name]++;
    if (before > 0) absl::StrAppend(&fetch.value.name, ".", before);
    fetches.push_back(std::move(fetch.value));
  }
  std::vector<ir::NamedValue> new_states = initial_;
  for (const Parameter& parameter : parameters_) {
    const ir::Value value = latest(parameter.id);
    if (value != parameter.argument) {
      new_states.push_back({parameter.name, value});
    }
  }
  SY_RETURN_IF_ERROR(advance(&new_states));
  program_->Return(fetches, new_states);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
