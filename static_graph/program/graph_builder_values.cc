// SPDX-License-Identifier: Apache-2.0
// GraphBuilder, continued: values that are written in place.
#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/write_op.h"
#include "static_graph/ir/value_form.h"
#include "static_graph/passes/to_value_form.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::static_graph {

absl::Status GraphBuilder::Write(ir::Value target, ir::Value value) {
  constexpr char kWrite[] = "x[...] = value";
  SY_RETURN_IF_ERROR(CheckOpen(kWrite));
  std::vector<ir::Value> operands = {target, value};
  SY_RETURN_IF_ERROR(ResolveAll(kWrite, &operands));
  if (operands[0].type() != operands[1].type()) {
    return TypeError(
        absl::StrCat(kWrite, ": value"),
        absl::StrCat("of x's type, ", ir::ToString(operands[0].type())),
        ir::ToString(operands[1].type()));
  }
  return BuildWrite(builder_, operands[0], operands[1]);
}

absl::Status GraphBuilder::MakeValueForm() {
  if (ir::FindInplaceVariant(program_.entry()) == nullptr) {
    return absl::OkStatus();
  }
  HashMap<ir::Value, ir::Value> current;
  SY_RETURN_IF_ERROR(ConvertToValueForm(program_, &current, &recorded_));
  for (const auto& [value, now] : current) current_[value] = now;
  return absl::OkStatus();
}

absl::StatusOr<ir::Value> GraphBuilder::Resolve(std::string_view argument,
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

absl::Status GraphBuilder::ResolveAll(std::string_view argument,
                                      std::vector<ir::Value>* values) const {
  if (current_.empty()) return absl::OkStatus();
  for (ir::Value& value : *values) {
    if (!value) continue;
    SY_ASSIGN_OR_RETURN(value, Resolve(argument, value));
  }
  return absl::OkStatus();
}

absl::Status GraphBuilder::ResolveNamed(
    std::vector<ir::NamedValue>* values) const {
  for (ir::NamedValue& named : *values) {
    SY_ASSIGN_OR_RETURN(named.value, Resolve(named.name, named.value));
  }
  return absl::OkStatus();
}

absl::Status GraphBuilder::UpdateWrittenStates() {
  for (ir::Value state : program_.entry().arguments()) {
    const std::string name(state.argument_name());
    if (state.role() != ir::ArgumentRole::kState || Contains(updated_, name) ||
        !Contains(current_, state)) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(const ir::Value value, Resolve(name, state));
    if (value != state) updates_.push_back({name, value});
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
