// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/upgrade_parser.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/literal_parser.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

// The kind of a rule by the key that names what it changes.
struct KindKey {
  std::string_view key;
  Upgrade::Kind kind;
};
constexpr KindKey kKinds[] = {{"add_attr", Upgrade::Kind::kAddAttr},
                              {"convert_attr", Upgrade::Kind::kConvertAttr},
                              {"add_input", Upgrade::Kind::kAddInput},
                              {"add_output", Upgrade::Kind::kAddOutput},
                              {"join_post_ops", Upgrade::Kind::kJoinPostOps}};
constexpr std::string_view kRuleKeys[] = {
    "to",         "add_attr",      "convert_attr", "add_input",
    "add_output", "join_post_ops", "value",        "of"};

absl::StatusOr<int> Version(const YamlNode& node) {
  SY_ASSIGN_OR_RETURN(const std::string text, node.Text());
  int version = 0;
  if (!absl::SimpleAtoi(text, &version) || version < 1) {
    return node.Error("a number from 1", Quoted(text));
  }
  return version;
}

// Checks that the name is one of the entry's, of what may be left out.
absl::Status CheckName(const YamlNode& node, const Op& op,
                       const Upgrade& rule) {
  const std::string got = Quoted(rule.name);
  switch (rule.kind) {
    case Upgrade::Kind::kAddInput: {
      const int i = FindInput(op.signature.arguments, rule.name);
      if (i >= 0 && op.input_facts[i].optional) return absl::OkStatus();
      return node.Error("an optional input", got);
    }
    case Upgrade::Kind::kAddOutput: {
      const int i = FindOutput(op.signature.outputs, rule.name);
      if (i >= 0 && op.output_facts[i].optional) return absl::OkStatus();
      return node.Error("an optional output", got);
    }
    case Upgrade::Kind::kJoinPostOps: {
      const Arguments& arguments = op.signature.arguments;
      const int i = FindAttr(arguments, rule.name);
      if (i >= 0 && arguments.attrs[i].type == ValueType::kPostOps) {
        return absl::OkStatus();
      }
      return node.Error("an attribute of the type post_ops", got);
    }
    default:
      if (FindAttr(op.signature.arguments, rule.name) >= 0) {
        return absl::OkStatus();
      }
      return node.Error("an attribute", got);
  }
}

// The value that older programs get: a single literal of the attribute's type.
absl::Status ParseValue(const YamlFields& fields, const Op& op, Upgrade* rule) {
  SY_ASSIGN_OR_RETURN(const YamlNode node, fields.Require("value"));
  SY_ASSIGN_OR_RETURN(const std::string text, node.Text());
  const Arguments& arguments = op.signature.arguments;
  const ValueType type = arguments.attrs[FindAttr(arguments, rule->name)].type;
  if (IsList(type) || type == ValueType::kScalar) {
    return node.Error("an attribute that is neither a list nor a Scalar",
                      absl::StrCat("'", rule->name, "'"));
  }
  absl::StatusOr<Literal> value = ParseLiteral(type, text);
  SY_RETURN_IF_ERROR(node.Wrap(value.status()));
  rule->value = value->items[0];
  return absl::OkStatus();
}

// The three attributes that older programs have in place of the one.
absl::Status ParseJoined(const YamlFields& fields, Upgrade* rule) {
  SY_ASSIGN_OR_RETURN(const YamlNode node, fields.Require("of"));
  SY_ASSIGN_OR_RETURN(const std::vector<YamlNode> items, node.Items());
  for (const YamlNode& item : items) {
    SY_ASSIGN_OR_RETURN(std::string name, item.Text());
    rule->joined.push_back(std::move(name));
  }
  if (items.size() == 3) return absl::OkStatus();
  return node.Error("the names of a function's name, alpha and beta",
                    absl::StrCat(items.size(), " names"));
}

absl::StatusOr<Upgrade> ParseRule(const YamlNode& node, const Op& op) {
  SY_ASSIGN_OR_RETURN(const YamlFields fields, node.Fields(kRuleKeys));
  Upgrade rule;
  SY_ASSIGN_OR_RETURN(const YamlNode to, fields.Require("to"));
  SY_ASSIGN_OR_RETURN(rule.to, Version(to));
  const YamlNode* changed = nullptr;
  for (const KindKey& kind : kKinds) {
    const YamlNode* found = fields.Find(kind.key);
    if (found == nullptr) continue;
    if (changed != nullptr) return node.Error("one change", "two");
    changed = found;
    rule.kind = kind.kind;
  }
  if (changed == nullptr) return node.Error("what it changes", "nothing");
  SY_ASSIGN_OR_RETURN(rule.name, changed->Text());
  SY_RETURN_IF_ERROR(CheckName(*changed, op, rule));
  const bool adds = rule.kind == Upgrade::Kind::kAddAttr;
  if (!adds && fields.Find("value") != nullptr) {
    return node.Error("the key 'value' beside 'add_attr' only", "it");
  }
  if (adds) SY_RETURN_IF_ERROR(ParseValue(fields, op, &rule));
  const bool joins = rule.kind == Upgrade::Kind::kJoinPostOps;
  if (!joins && fields.Find("of") != nullptr) {
    return node.Error("the key 'of' beside 'join_post_ops' only", "it");
  }
  if (joins) SY_RETURN_IF_ERROR(ParseJoined(fields, &rule));
  return rule;
}

}  // namespace

absl::Status ParseUpgrades(const YamlFields& fields, Op& op) {
  if (const YamlNode* node = fields.Find("version")) {
    SY_ASSIGN_OR_RETURN(op.version, Version(*node));
  }
  const YamlNode* node = fields.Find("upgrades");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const std::vector<YamlNode> rules, node->Items());
  int last = 0;
  for (const YamlNode& item : rules) {
    SY_ASSIGN_OR_RETURN(const Upgrade rule, ParseRule(item, op));
    const bool first = op.upgrades.empty();
    if (rule.to < 2 || (!first && rule.to != last && rule.to != last + 1)) {
      return item.Error(
          first ? "a version from 2"
                : absl::StrCat("version ", last, " or ", last + 1, " next"),
          absl::StrCat(rule.to));
    }
    last = rule.to;
    op.upgrades.push_back(rule);
  }
  if (last == op.version) return absl::OkStatus();
  return node->Error(absl::StrCat("rules up to version ", op.version),
                     absl::StrCat(last));
}

}  // namespace switchyard::ops_gen
