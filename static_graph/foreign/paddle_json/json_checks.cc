// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_checks.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// Versions of the form that are in use.
constexpr int64_t kLastVersion = 4;

// The check of one program.
class ValueCheck {
 public:
  explicit ValueCheck(const JsonProgram& program) : program_(program) {}
  absl::Status Block(int number);

 private:
  // A block that is being checked, and which of its variables are defined.
  struct Open {
    const JsonBlock* block;
    std::vector<bool> defined;
  };

  bool IsVisible(std::string_view name) const;
  absl::Status Define(std::string_view name, bool argument);
  absl::Status Operator(const ForeignOperator& op);

  const JsonProgram& program_;
  std::vector<Open> open_;  // One in the other.
};

bool ValueCheck::IsVisible(std::string_view name) const {
  for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
    const int variable = open->block->IndexOf(name);
    if (variable >= 0 && open->defined[variable]) return true;
  }
  return false;
}

absl::Status ValueCheck::Define(std::string_view name, bool argument) {
  const bool negative = name[0] == '-';
  if (argument ? !negative : negative || name == "0") {
    return ArgumentError(
        "value", argument ? "a negative number" : "a number over 0", name);
  }
  if (IsVisible(name)) {
    return ArgumentError("value", "defined once",
                         absl::StrCat(std::string(name), " twice"));
  }
  open_.back().defined[open_.back().block->IndexOf(name)] = true;
  return absl::OkStatus();
}

absl::Status ValueCheck::Operator(const ForeignOperator& op) {
  for (const std::string& name : op.inputs[0].variables) {
    if (name.empty() || IsVisible(name)) continue;
    return ArgumentError("operand", "a value that is defined before", name);
  }
  for (const int block : op.blocks()) SY_RETURN_IF_ERROR(Block(block));
  for (const std::string& name : op.outputs[0].variables) {
    SY_RETURN_IF_ERROR(Define(name, false));
  }
  return absl::OkStatus();
}

absl::Status ValueCheck::Block(int number) {
  const JsonBlock& block = program_.blocks(number);
  open_.push_back({&block, std::vector<bool>(block.vars_size())});
  for (const std::string_view argument : block.inputs()) {
    SY_RETURN_IF_ERROR(Define(argument, true));
  }
  int index = 0;
  for (const ForeignOperator& op : block.ops()) {
    const absl::Status status = Operator(op);
    if (!status.ok()) {
      // Blocks are nested and errors of the inner ones annotated there.
      return status.message().substr(0, 6) == "block "
                 ? status
                 : Annotate(status,
                            absl::StrCat("block ", number, ", operator ", index,
                                         ", ", op.type));
    }
    ++index;
  }
  open_.pop_back();  // Nothing after a block sees its values.
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> ReadJsonHeader(const JsonNode& program) {
  const JsonNode* const header = program.find("base_code");
  const auto member = [&](const char* key) {
    return header == nullptr ? nullptr : header->find(key);
  };
  const JsonNode* const magic = member("magic");
  if (magic == nullptr || !magic->is_text() || magic->text() != "pir") {
    return ArgumentError("\"magic\" of \"base_code\"", "\"pir\"", "another");
  }
  const JsonNode* const version = member("version");
  const bool number = version != nullptr && version->is_number();
  if (number && version->kind() == JsonNode::Kind::kInteger &&
      version->integer() >= 0 && version->integer() <= kLastVersion) {
    return version->integer();
  }
  return ArgumentError("\"version\" of \"base_code\"",
                       absl::StrCat("from 0 to ", kLastVersion),
                       number ? version->NumberText() : "none");
}

absl::Status CheckJsonValues(const JsonProgram& program) {
  return ValueCheck(program).Block(0);
}

}  // namespace switchyard::static_graph
