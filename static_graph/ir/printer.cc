// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/printer.h"

#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/identifier.h"

namespace switchyard::static_graph::ir {
namespace {

constexpr size_t kColumns = 80;

// The name of every value of one program, in the order of the text.
class ValueNames {
 public:
  explicit ValueNames(const Operation& root) {
    AddOperation(root);
    for (int i = 0; i < root.num_regions(); ++i) {
      AddArguments(root.block(i));
      for (const Operation* op : AllOperations(root.block(i))) {
        AddOperation(*op);
        for (int k = 0; k < op->num_regions(); ++k) AddArguments(op->block(k));
      }
    }
  }

  // "%x"; "%?" for a null value, or one that is defined elsewhere.
  std::string Of(Value value) const {
    const auto found = names_.find(value);
    return found == names_.end() ? "%?" : "%" + found->second;
  }

 private:
  void AddOperation(const Operation& op) {
    for (Value result : op.results()) Add(result);
  }
  void AddArguments(const Block& block) {
    for (Value argument : block.arguments()) Add(argument);
  }
  void Add(Value value) {
    const std::string hint(value.hint());
    if (!IsIdentifier(hint)) {
      names_[value] = std::to_string(next_number_++);
      return;
    }
    std::string name = hint;
    while (!taken_.insert(name).second) {
      name = hint + "_" + std::to_string(++suffixes_[hint]);
    }
    names_[value] = name;
  }

  PooledMap<Value, std::string> names_;
  HashSet<std::string> taken_;
  HashMap<std::string, int> suffixes_;
  int64_t next_number_ = 0;
};

template <typename Range, typename Function>
std::string Joined(const Range& range, Function text) {
  std::string joined;
  for (const auto& item : range) {
    if (!joined.empty()) joined += ", ";
    joined += text(item);
  }
  return joined;
}

std::string AttributesText(absl::Span<const NamedAttribute> attributes) {
  if (attributes.empty()) return {};
  return " {" +
         Joined(attributes,
                [](const NamedAttribute& attribute) {
                  return IdentifierOrQuoted(attribute.name.text()) + " = " +
                         ToString(attribute.value);
                }) +
         "}";
}

// A builtin.return whose names fit its operands has a form of its own.
bool HasReturnForm(const Operation& op) {
  if (op.name() != kReturnOp || op.num_results() + op.num_regions() != 0) {
    return false;
  }
  size_t names = 0;
  for (const NamedAttribute& attribute : op.attributes()) {
    const std::string_view name = attribute.name.text();
    if (name != kFetchNames && name != kStateNames) return false;
    if (!attribute.value.Is<StringsAttribute>()) return false;
    // The parser reads a list without names as no list.
    if (attribute.value.strings().empty()) return false;
    names += attribute.value.strings().size();
  }
  return names == static_cast<size_t>(op.num_operands());
}

class Printer {
 public:
  Printer(const Operation& root, PrintOptions options)
      : names_(root), options_(options) {}

  std::string Take() { return std::move(text_); }

  void PrintProgram(const Operation& op) {
    const Attribute symbol = op.attribute(kSymbolName);
    text_ += "program " + ToString(symbol) + " {\n";
    const Block& entry = op.block(0);
    PrintEntryArguments(entry);
    depth_ = 2;
    for (const Operation* inner : entry) PrintLine(*inner);
    text_ += "}\n";
  }

  // Without indentation before its first line or a newline after its last.
  // Recursion is as deep as regions are nested.
  void PrintOperation(const Operation& op) {
    if (op.num_results() > 0) text_ += Values(op.results()) + " = ";
    text_ += std::string(op.name());
    if (HasReturnForm(op)) {
      text_ += ReturnText(op);
      PrintLocation(op);
      return;
    }
    text_ += "(" + Values(op.operands()) + ")";
    text_ += AttributesText(op.attributes());
    if (op.num_results() > 0) {
      text_ += " : " + Joined(op.results(), [](Value result) {
                 return ToString(result.type());
               });
    }
    PrintLocation(op);
    for (int i = 0; i < op.num_regions(); ++i) PrintRegion(op.block(i));
  }

 private:
  std::string Values(const std::vector<Value>& values) const {
    return Joined(values, [this](Value value) { return names_.Of(value); });
  }

  // loc("examples/digits/demo.py":12) or loc("ocr.pdmodel":0:3).
  void PrintLocation(const Operation& op) {
    if (!options_.locations || !op.location()) return;
    const Location at = op.location();
    text_ += " loc(" + Quote(at.source()) + ":" + std::to_string(at.first());
    if (at.second() >= 0) text_ += ":" + std::to_string(at.second());
    text_ += ")";
  }

  void Indent() { text_.append(static_cast<size_t>(depth_) * 2, ' '); }

  void PrintLine(const Operation& op) {
    Indent();
    PrintOperation(op);
    text_ += "\n";
  }

  void PrintRegion(const Block& block) {
    text_ += " region {\n";
    ++depth_;
    if (block.num_arguments() > 0) {
      Indent();
      text_ += "^(" +
               Joined(block.arguments(),
                      [this](Value argument) {
                        return names_.Of(argument) + ": " +
                               ToString(argument.type());
                      }) +
               "):\n";
    }
    for (const Operation* op : block) PrintLine(*op);
    --depth_;
    Indent();
    text_ += "}";
  }

  std::string EntryArgumentText(Value argument) const {
    std::string text = names_.Of(argument) + ": ";
    if (argument.role() != ArgumentRole::kNone) {
      text += std::string(Name(argument.role())) + " " +
              Quote(argument.argument_name()) + " ";
    }
    return text + ToString(argument.type());
  }

  // On one line if it fits, else one line each.
  void PrintEntryArguments(const Block& entry) {
    const auto text = [this](Value argument) {
      return EntryArgumentText(argument);
    };
    const std::string line =
        "  ^entry(" + Joined(entry.arguments(), text) + "):";
    if (line.size() <= kColumns) {
      text_ += line + "\n";
      return;
    }
    text_ += "  ^entry(";
    for (Value argument : entry.arguments()) {
      text_ += argument.index() > 0 ? ",\n      " : "\n      ";
      text_ += text(argument);
    }
    text_ += "):\n";
  }

  // ("loss" = %0) state("w" = %1).
  std::string ReturnText(const Operation& op) const {
    int operand = 0;
    const auto text = [&](const char* attribute) {
      const Attribute names = op.attribute(attribute);
      if (!names) return std::string();
      return Joined(names.strings(), [&](const std::string& name) {
        return Quote(name) + " = " + names_.Of(op.operand(operand++));
      });
    };
    const std::string fetches = "(" + text(kFetchNames) + ")";
    const std::string states = text(kStateNames);
    return states.empty() ? fetches : fetches + " state(" + states + ")";
  }

  ValueNames names_;
  const PrintOptions options_;
  std::string text_;
  int depth_ = 0;
};

const Operation& FindRoot(const Operation& op) {
  const Operation* root = &op;
  while (root->parent_op() != nullptr) root = root->parent_op();
  return *root;
}

}  // namespace

std::string Print(const Program& program, PrintOptions options) {
  Printer printer(*program.op(), options);
  printer.PrintProgram(*program.op());
  return printer.Take();
}

std::string Print(const Operation& op) {
  Printer printer(FindRoot(op), {});
  printer.PrintOperation(op);
  return printer.Take();
}

}  // namespace switchyard::static_graph::ir
