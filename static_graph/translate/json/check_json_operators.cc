// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/check_json_operators.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/foreign/operator_problems.h"
#include "static_graph/translate/json/json_call.h"
#include "static_graph/translate/json/json_rewrite.h"

namespace switchyard::static_graph {
namespace {

// More tensors than there are in the lists that the operators of a program
// take, which a list of the file may be as often as there are operators.
constexpr size_t kMaxInLists = 1 << 22;

constexpr std::string_view kJsonOnly[] = {"builtin.combine",
                                          "builtin.parameter",
                                          "builtin.set_parameter",
                                          "builtin.slice",
                                          "builtin.shadow_output",
                                          "builtin.split",
                                          "cf.yield",
                                          "data",
                                          "fetch",
                                          "full_int_array",
                                          "if",
                                          "while"};

// Goes through the blocks of a program.
class Checker {
 public:
  explicit Checker(const ir::Context& context) : context_(context) {}

  void Block(const JsonBlock& block);
  absl::Status Summary() const { return problems_.Summary(); }

 private:
  absl::Status Operator(const JsonOperator& op);
  // Returns all names that an operator may have.
  std::vector<std::string_view> Names() const;

  const ir::Context& context_;
  HashMap<int64_t, size_t> counts_;  // Of tensors that a value is.
  size_t in_lists_ = 0;
  OperatorProblems problems_;
};

std::vector<std::string_view> Checker::Names() const {
  std::vector<std::string_view> names(std::begin(kJsonOnly),
                                      std::end(kJsonOnly));
  for (const ir::OpDefinition* op : context_.RegisteredOps()) {
    const std::string_view name = op->name;
    if (name.substr(0, kOpPrefix.size()) == kOpPrefix) {
      names.push_back(name.substr(kOpPrefix.size()));
    }
  }
  return names;
}

void Checker::Block(const JsonBlock& block) {
  for (const JsonOperator& op : block.operators) {
    problems_.Add(Operator(op), JsonPlace(block, op));
    for (const JsonValue& result : op.results) {
      if (result.type.kind == JsonType::Kind::kList) {
        counts_[result.id] = result.type.items.size();
      }
    }
    for (const JsonBlock& inner : op.blocks) Block(inner);
  }
}

absl::Status Checker::Operator(const JsonOperator& written) {
  if (IsJsonOnly(written.name)) return absl::OkStatus();
  const std::optional<JsonOperator> rewritten = AsOurs(written);
  const JsonOperator& op = rewritten.has_value() ? *rewritten : written;
  const DialectOp* ours = FindFunctional(context_, op.name);
  if (ours == nullptr) {
    const std::string nearest =
        problems_.listed() ? NearestName(op.name, Names()) : "";
    return absl::UnimplementedError(absl::StrCat(
        "there is no operator of this name",
        nearest.empty() ? "" : absl::StrCat("; the nearest is ", nearest)));
  }
  std::vector<size_t> counts;
  for (const int64_t operand : op.operands) {
    const auto list = counts_.find(operand);
    counts.push_back(list == counts_.end() ? (operand == 0 ? 0 : 1)
                                           : list->second);
    in_lists_ += list == counts_.end() ? 0 : list->second;
  }
  if (in_lists_ > kMaxInLists) {
    return ArgumentError(
        "lists of tensors",
        absl::StrCat("of at most ", kMaxInLists, " for all operators"), "more");
  }
  return MapJsonOperator(op, *ours->info, counts).status();
}

}  // namespace

bool IsJsonOnly(std::string_view name) {
  return std::find(std::begin(kJsonOnly), std::end(kJsonOnly), name) !=
         std::end(kJsonOnly);
}

absl::Status CheckJsonOperators(const JsonBlock& main,
                                const ir::Context& context) {
  Checker checker(context);
  checker.Block(main);
  return checker.Summary();
}

}  // namespace switchyard::static_graph
