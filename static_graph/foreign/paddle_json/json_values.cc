// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_values.h"

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"

namespace switchyard::static_graph {
namespace {

// The check of one program.
class ValueCheck {
 public:
  absl::Status Block(const JsonBlock& block);

 private:
  absl::Status Define(const JsonValue& value, bool argument);
  absl::Status Operator(const JsonOperator& op);

  // The values that are defined so far: whether they are visible.
  HashMap<int64_t, bool> visible_;
};

absl::Status ValueCheck::Define(const JsonValue& value, bool argument) {
  if (argument ? value.id >= 0 : value.id <= 0) {
    return ArgumentError("value",
                         argument ? "a negative number" : "a number over 0",
                         absl::StrCat(value.id));
  }
  if (visible_.emplace(value.id, true).second) return absl::OkStatus();
  return ArgumentError("value", "defined once",
                       absl::StrCat(value.id, " twice"));
}

absl::Status ValueCheck::Operator(const JsonOperator& op) {
  for (const int64_t id : op.operands) {
    const auto found = visible_.find(id);
    if (id == 0 || (found != visible_.end() && found->second)) continue;
    return ArgumentError("operand", "a value that is defined before",
                         absl::StrCat(id));
  }
  for (const JsonBlock& block : op.blocks) SY_RETURN_IF_ERROR(Block(block));
  for (const JsonValue& result : op.results) {
    SY_RETURN_IF_ERROR(Define(result, false));
  }
  return absl::OkStatus();
}

absl::Status ValueCheck::Block(const JsonBlock& block) {
  for (const JsonValue& argument : block.arguments) {
    SY_RETURN_IF_ERROR(Define(argument, true));
  }
  for (const JsonOperator& op : block.operators) {
    const absl::Status status = Operator(op);
    if (!status.ok()) {
      // Blocks are nested and errors of the inner ones annotated there.
      return status.message().substr(0, 6) == "block "
                 ? status
                 : Annotate(status, JsonPlace(block, op));
    }
  }
  // Nothing after a block sees its values.
  for (const JsonOperator& op : block.operators) {
    for (const JsonValue& result : op.results) visible_[result.id] = false;
  }
  for (const JsonValue& argument : block.arguments) {
    visible_[argument.id] = false;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckJsonValues(const JsonBlock& main) {
  return ValueCheck().Block(main);
}

}  // namespace switchyard::static_graph
