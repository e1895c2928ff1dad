// SPDX-License-Identifier: Apache-2.0
// GraphBuilder, continued: values that are written in place.
#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/view_inverse.h"
#include "static_graph/dialect/write_op.h"
#include "static_graph/ir/value_form.h"
#include "static_graph/passes/to_value_form.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::static_graph {
namespace {

// Adds to `dependent` what of `block`, and of the blocks inside, may have a
// gradient because of the values in it.
void AddDependent(const ir::Block& block, HashSet<ir::Value>* dependent) {
  for (const ir::Operation* op : block) {
    bool reached = false;
    for (int i = 0; i < op->num_operands(); ++i) {
      reached |= Contains(*dependent, op->operand(i));
    }
    for (int i = 0; i < op->num_regions(); ++i) {
      if (reached) {
        for (ir::Value argument : op->block(i).arguments()) {
          dependent->insert(argument);
        }
      }
      const size_t before = dependent->size();
      AddDependent(op->block(i), dependent);
      reached |= dependent->size() > before;
    }
    if (!reached || StopsGradient(*op)) continue;
    for (ir::Value result : op->results()) dependent->insert(result);
  }
}

}  // namespace

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

absl::Status GraphBuilder::CheckRecorded(
    absl::Span<const ir::Value> wrt) const {
  if (unrecorded_.empty()) return absl::OkStatus();
  HashSet<ir::Value> dependent(wrt.begin(), wrt.end());
  AddDependent(program_.entry(), &dependent);
  for (const UnrecordedWrite& write : unrecorded_) {
    if (!Contains(dependent, write.old)) continue;
    return ir::AtLocation(
        absl::InvalidArgumentError(absl::StrCat(
            write.writer,
            ": writes under no_grad(), or through a detached tensor, to a "
            "value that has a gradient; write to a copy")),
        write.location);
  }
  return absl::OkStatus();
}

absl::Status GraphBuilder::MakeValueForm() {
  if (ir::FindInplaceVariant(program_.entry()) == nullptr) {
    return absl::OkStatus();
  }
  HashMap<ir::Value, ir::Value> current;
  SY_RETURN_IF_ERROR(ConvertToValueForm(program_, &current, &unrecorded_));
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
