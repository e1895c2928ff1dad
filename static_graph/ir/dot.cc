// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/dot.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph::ir {
namespace {

// A string of the language: in quotes, which it may contain escaped.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

class DotPrinter {
 public:
  std::string Print(const Program& program) {
    text_ = "digraph program {\n  node [shape=box];\n";
    for (Value argument : program.entry().arguments()) {
      if (argument.role() != ArgumentRole::kFeed) continue;
      nodes_[argument] =
          AddNode(absl::StrCat(std::string(argument.argument_name()), "\n",
                               ToString(argument.type())),
                  "ellipse");
    }
    PrintBlock(program.entry());
    for (const NamedValue& fetch : program.fetches()) {
      AddEdge(fetch.value, AddNode(fetch.name, "ellipse"));
    }
    return text_ + "}\n";
  }

 private:
  // Recursion is as deep as regions are nested.
  void PrintBlock(const Block& block) {
    for (const Operation* op : block) {
      const bool constant = op->name() == kConstantOp;
      if (constant || op->name() == kReturnOp) continue;
      PrintOperation(*op);
    }
  }

  void PrintOperation(const Operation& op) {
    const std::string_view name = op.name();
    std::string label(name.substr(name.find('.') + 1));
    if (op.num_results() > 0) {
      absl::StrAppend(&label, "\n", ToString(op.result(0).type()));
    }
    const int node = AddNode(label, nullptr);
    for (Value operand : op.operands()) AddEdge(operand, node);
    for (Value result : op.results()) nodes_[result] = node;
    for (int i = 0; i < op.num_regions(); ++i) {
      absl::StrAppend(&text_, "  subgraph cluster_", node, "_", i, " {\n");
      for (Value argument : op.block(i).arguments()) nodes_[argument] = node;
      PrintBlock(op.block(i));
      text_ += "  }\n";
    }
  }

  // Its number. `shape` may be null: a box.
  int AddNode(const std::string& label, const char* shape) {
    absl::StrAppend(&text_, "  n", next_, " [label=", Quoted(label));
    if (shape != nullptr) absl::StrAppend(&text_, ", shape=", shape);
    text_ += "];\n";
    return next_++;
  }

  void AddEdge(Value from, int to) {
    const auto found = nodes_.find(from);
    if (found == nodes_.end()) return;  // A state or a constant.
    absl::StrAppend(&text_, "  n", found->second, " -> n", to, ";\n");
  }

  std::string text_;
  HashMap<Value, int> nodes_;
  int next_ = 0;
};

}  // namespace

std::string PrintDot(const Program& program) {
  return DotPrinter().Print(program);
}

}  // namespace switchyard::static_graph::ir
