// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/written_values.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/ir/value_form.h"
#include "static_graph/passes/to_value_form.h"

namespace switchyard::static_graph {

absl::Status WrittenValues::MakeValueForm(ir::Program* program) {
  if (ir::FindInplaceVariant(program->entry()) == nullptr) {
    return absl::OkStatus();
  }
  HashMap<ir::Value, ir::Value> current;
  SY_RETURN_IF_ERROR(ConvertToValueForm(*program, &current, &recorded_));
  for (const auto& [value, now] : current) current_[value] = now;
  return absl::OkStatus();
}

absl::StatusOr<ir::Value> WrittenValues::Resolve(std::string_view argument,
                                                 ir::Value value) const {
  for (auto found = current_.find(value);
       found != current_.end() && found->second != value;
       found = current_.find(value)) {
    value = found->second;
    if (value) continue;
    const std::string name(argument);
    return ir::AtLocation(
        absl::InvalidArgumentError(absl::StrCat(
            name,
            " was partly overwritten through a view; use the view, or clone ",
            name, " first")),
        builder_.location());
  }
  return value;
}

absl::Status WrittenValues::ResolveAll(std::string_view argument,
                                       std::vector<ir::Value>* values) const {
  if (current_.empty()) return absl::OkStatus();
  for (ir::Value& value : *values) {
    if (!value) continue;
    SY_ASSIGN_OR_RETURN(value, Resolve(argument, value));
  }
  return absl::OkStatus();
}

absl::Status WrittenValues::ResolveNamed(
    std::vector<ir::NamedValue>* values) const {
  for (ir::NamedValue& named : *values) {
    SY_ASSIGN_OR_RETURN(named.value, Resolve(named.name, named.value));
  }
  return absl::OkStatus();
}

absl::Status WrittenValues::ResolveTargets(std::vector<ir::Value>* wrt) const {
  for (ir::Value& value : *wrt) {
    SY_ASSIGN_OR_RETURN(const ir::Value now, Resolve("gradients: wrt", value));
    if (!value.is_argument()) {
      value = now;
      continue;
    }
    // All that a state holds later leads back to what it was first.
    const bool kept =
        value.role() == ir::ArgumentRole::kState && !Contains(recorded_, value);
    if (now == value || kept) continue;
    return ArgumentError(
        "gradients: wrt",
        "values of the program, or feeds and states that it does not write "
        "in place",
        absl::StrCat(std::string(value.argument_name()), ", which it does"));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
