// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translated_ports.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {

absl::Status TranslatedPorts::Take(const std::string& name) {
  budget_->TakePort(name.size());
  return budget_->Check();
}

absl::StatusOr<ir::Value> TranslatedPorts::AddFeed(const std::string& name,
                                                   const TensorSpec& spec) {
  if (program_->FindArgument(ir::ArgumentRole::kFeed, name)) {
    return ArgumentError(absl::StrCat("feed '", name, "'"), "there once",
                         "twice");
  }
  SY_RETURN_IF_ERROR(Take(name));
  return program_->AddFeed(name, program_->context()->GetTensorType(spec));
}

absl::StatusOr<ir::Value> TranslatedPorts::AddState(const std::string& name,
                                                    const std::string& variable,
                                                    const TensorSpec& spec) {
  const std::string subject = absl::StrCat("variable '", name, "'");
  if (spec.kind != TensorKind::kDense || !spec.shape.known()) {
    return ArgumentError(subject,
                         "a dense tensor of known shape, since it is "
                         "persistable",
                         ToString(spec.shape));
  }
  if (program_->FindArgument(ir::ArgumentRole::kState, name)) {
    return ArgumentError(subject, "there once", "twice");
  }
  SY_RETURN_IF_ERROR(Take(name));
  const ir::Value value =
      program_->AddState(name, program_->context()->GetTensorType(spec));
  states_.push_back({variable, {name, spec}, value});
  return value;
}

absl::Status TranslatedPorts::AddFetch(const std::string& name, int64_t column,
                                       ir::Value value) {
  SY_RETURN_IF_ERROR(Take(name));
  fetches_.push_back({column, {name, value}});
  return absl::OkStatus();
}

absl::Status TranslatedPorts::Initialize(const std::string& name,
                                         ir::Value value) {
  SY_RETURN_IF_ERROR(AddState(name, "", value.tensor_type().spec()).status());
  states_.back().argument = value;
  return absl::OkStatus();
}

absl::Status TranslatedPorts::Return(
    absl::FunctionRef<absl::StatusOr<ir::Value>(const PortState&)> latest,
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
  std::vector<ir::NamedValue> new_states, initial;
  for (const PortState& port : states_) {
    if (port.variable.empty()) {
      initial.push_back({port.state.name, port.argument});
      continue;
    }
    SY_ASSIGN_OR_RETURN(const ir::Value value, latest(port));
    if (!value || value == port.argument) continue;
    new_states.push_back({port.state.name, value});
  }
  // States that get their first values come first.
  new_states.insert(new_states.begin(), initial.begin(), initial.end());
  SY_RETURN_IF_ERROR(advance(&new_states));
  program_->Return(fetches, new_states);
  return absl::OkStatus();
}

std::vector<StateVariable> TranslatedPorts::TakeStates() {
  std::vector<StateVariable> states;
  states.reserve(states_.size());
  for (PortState& port : states_) states.push_back(std::move(port.state));
  return states;
}

}  // namespace switchyard::static_graph
