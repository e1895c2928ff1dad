// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/form_parser.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/dtypes_parser.h"
#include "ops_gen/parser/literal_parser.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"
#include "ops_gen/schema/keys.h"

namespace switchyard::ops_gen {
namespace {

// A literal as YAML has it: the quotes of a text are gone.
absl::StatusOr<Literal> LiteralOf(const YamlNode& node, ValueType type,
                                  std::string text) {
  if (type == ValueType::kString) text = absl::StrCat("\"", text, "\"");
  absl::StatusOr<Literal> literal = ParseLiteral(type, text);
  SY_RETURN_IF_ERROR(node.Wrap(literal.status()));
  return literal;
}

absl::StatusOr<Literal> LiteralOf(const YamlNode& node, ValueType type) {
  SY_ASSIGN_OR_RETURN(std::string text, node.Text());
  return LiteralOf(node, type, std::move(text));
}

// The name of a slot or attribute: generated code has it between quotes.
absl::Status CheckQuotable(const YamlNode& node, const std::string& name) {
  return LiteralOf(node, ValueType::kString, name).status();
}

// The type of an operator there: generated code has it in a C++ name.
absl::StatusOr<std::string> TypeName(const YamlNode& node) {
  SY_ASSIGN_OR_RETURN(std::string text, node.Text());
  Scanner scanner(text);
  SY_RETURN_IF_ERROR(
      node.Wrap(scanner.Name("an operator type", /*any_case=*/true).status()));
  SY_RETURN_IF_ERROR(node.Wrap(scanner.End()));
  return text;
}

absl::StatusOr<int> AttrPosition(const YamlNode& node, const Op& op) {
  SY_ASSIGN_OR_RETURN(const std::string name, node.Text());
  const int attr = FindAttr(op.signature.arguments, name);
  if (attr < 0) {
    return node.Error("an attribute of args",
                      Guessed(name, AttrNames(op.signature.arguments)));
  }
  return attr;
}

absl::StatusOr<int> TensorPosition(const YamlNode& node, bool input,
                                   const Op& op) {
  SY_ASSIGN_OR_RETURN(const std::string name, node.Text());
  const int position = input ? FindInput(op.signature.arguments, name)
                             : FindOutput(op.signature.outputs, name);
  if (position < 0) {
    return node.Error(input ? "a tensor of args" : "an output",
                      Guessed(name, input ? InputNames(op.signature.arguments)
                                          : OutputNames(op.signature.outputs)));
  }
  return position;
}

absl::StatusOr<FormSlot> ParseSlot(const std::string& name,
                                   const YamlNode& node, bool input,
                                   const std::string& vocabulary,
                                   const Op& op) {
  FormSlot slot;
  slot.name = name;
  if (!node.is_map()) {
    SY_ASSIGN_OR_RETURN(slot.to, TensorPosition(node, input, op));
    return slot;
  }
  SY_ASSIGN_OR_RETURN(
      const YamlFields parts,
      node.Fields(EntryKeys(absl::StrCat(vocabulary, "_slot"))));
  if (const YamlNode* to = parts.Find("to")) {
    SY_ASSIGN_OR_RETURN(slot.to, TensorPosition(*to, input, op));
  }
  if (const YamlNode* supplies = parts.Find("supplies")) {
    SY_ASSIGN_OR_RETURN(slot.supplies, AttrPosition(*supplies, op));
  }
  constexpr std::pair<std::string_view, ValueType> kGiven[] = {
      {"gives_dtype", ValueType::kDataType}, {"gives_extent", ValueType::kInt}};
  for (const auto& [key, type] : kGiven) {
    const YamlNode* value = parts.Find(key);
    if (value == nullptr) continue;
    SY_ASSIGN_OR_RETURN(slot.gives, AttrPosition(*value, op));
    const ValueType is = op.signature.arguments.attrs[slot.gives].type;
    if (is != type) {
      return value->Error(
          absl::StrCat("an attribute of type ", Absl(Name(type))), Name(is));
    }
  }
  constexpr std::pair<std::string_view, bool FormSlot::*> kFlags[] = {
      {"duplicable", &FormSlot::duplicable},
      {"dispensable", &FormSlot::dispensable},
      {"intermediate", &FormSlot::intermediate}};
  for (const auto& [key, flag] : kFlags) {
    if (const YamlNode* value = parts.Find(key)) {
      SY_ASSIGN_OR_RETURN(slot.*flag, ReadBool(*value));
    }
  }
  if (const YamlNode* dtypes = parts.Find("dtypes")) {
    if (!input) return dtypes->Error("an input", "an output");
    SY_ASSIGN_OR_RETURN(slot.dtypes, ParseDtypes(*dtypes));
  }
  return slot;
}

// `inputs:` or `outputs:`. A slot that leads to none of our tensors may be
// absent in a program.
absl::StatusOr<std::vector<FormSlot>> ParseSlots(const YamlNode& node,
                                                 bool input,
                                                 const std::string& vocabulary,
                                                 const Op& op) {
  SY_ASSIGN_OR_RETURN(const YamlFields fields, node.Fields());
  std::vector<FormSlot> slots;
  for (const auto& [name, value] : fields.all()) {
    SY_RETURN_IF_ERROR(CheckQuotable(value, name));
    SY_ASSIGN_OR_RETURN(FormSlot slot,
                        ParseSlot(name, value, input, vocabulary, op));
    if (slot.to < 0 && slot.supplies < 0 && !slot.dispensable &&
        !slot.intermediate) {
      return value.Error("'to', 'supplies', 'dispensable' or 'intermediate'",
                         "none");
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

// `only:` and `values:`.
absl::Status ParseValues(const YamlFields& parts, const Op& op,
                         FormAttr& attr) {
  if (const YamlNode* only = parts.Find("only")) {
    SY_ASSIGN_OR_RETURN(const std::vector<YamlNode> items, only->Items());
    for (const YamlNode& item : items) {
      SY_ASSIGN_OR_RETURN(Literal value, LiteralOf(item, attr.type));
      attr.values.push_back({std::move(value), std::nullopt});
    }
  }
  if (const YamlNode* values = parts.Find("values")) {
    if (attr.to < 0) return values->Error("the key 'to' beside it", "none");
    const ValueType ours = op.signature.arguments.attrs[attr.to].type;
    SY_ASSIGN_OR_RETURN(const YamlFields rows, values->Fields());
    for (const auto& [key, row] : rows.all()) {
      SY_ASSIGN_OR_RETURN(Literal value, LiteralOf(row, attr.type, key));
      SY_ASSIGN_OR_RETURN(Literal becomes, LiteralOf(row, ours));
      attr.values.push_back({std::move(value), std::move(becomes)});
    }
  }
  return absl::OkStatus();
}

// "axis: axis": with the type and the default that ours has.
absl::StatusOr<FormAttr> AttrAsOurs(const std::string& name,
                                    const YamlNode& node, const Op& op) {
  FormAttr attr;
  attr.name = name;
  SY_ASSIGN_OR_RETURN(attr.to, AttrPosition(node, op));
  const AttrDecl& ours = op.signature.arguments.attrs[attr.to];
  attr.type = ours.type;
  attr.default_value = ours.default_value;
  return attr;
}

// "option: true" is for what phi/legacy/forms/call_options.cc reads by these
// names.
absl::Status CheckOption(const YamlNode& node, const std::string& name,
                         bool leads_to_ours) {
  constexpr std::string_view kOptions[] = {"force_cpu", "place_type", "seed",
                                           "fix_seed", "is_sparse"};
  SY_ASSIGN_OR_RETURN(const bool option, ReadBool(node));
  const bool known = std::find(std::begin(kOptions), std::end(kOptions),
                               name) != std::end(kOptions);
  if (option && known && !leads_to_ours) return absl::OkStatus();
  return node.Error(
      "true, for a name of phi/legacy/forms/call_options.cc without 'to'",
      Quoted(name));
}

// "range: [0, 1]", for a number that leads to ours.
absl::StatusOr<std::pair<double, double>> ParseRange(const YamlNode& node,
                                                     const FormAttr& attr) {
  const bool number = attr.type == ValueType::kInt ||
                      attr.type == ValueType::kInt64 ||
                      attr.type == ValueType::kFloat;
  if (attr.to < 0 || !number || attr.repeat.has_value() ||
      !attr.bound.empty()) {
    return node.Error("a number that leads to one of ours", "another");
  }
  SY_ASSIGN_OR_RETURN(const std::vector<YamlNode> items, node.Items());
  if (items.size() != 2) {
    return node.Error("two numbers", absl::StrCat(items.size()));
  }
  double ends[2];
  for (int i = 0; i < 2; ++i) {
    SY_ASSIGN_OR_RETURN(const std::string text, items[i].Text());
    if (!absl::SimpleAtod(text, &ends[i])) {
      return items[i].Error("a number", Quoted(text));
    }
  }
  if (ends[0] > ends[1]) return node.Error("a range", "one that ends earlier");
  return std::pair<double, double>(ends[0], ends[1]);
}

absl::StatusOr<FormAttr> ParseAttr(const std::string& name,
                                   const YamlNode& node,
                                   const std::string& vocabulary,
                                   const Op& op) {
  if (!node.is_map()) return AttrAsOurs(name, node, op);
  const std::vector<std::string_view> keys =
      EntryKeys(absl::StrCat(vocabulary, "_attr"));
  SY_ASSIGN_OR_RETURN(const YamlFields parts, node.Fields(keys));
  FormAttr attr;
  attr.name = name;
  if (const YamlNode* to = parts.Find("to")) {
    SY_ASSIGN_OR_RETURN(attr.to, AttrPosition(*to, op));
  } else if (parts.Find("only") == nullptr && parts.Find("option") == nullptr) {
    return node.Error(vocabulary == kPaddle ? "the key 'to', 'only' or 'option'"
                                            : "the key 'to' or 'only'",
                      "none");
  }
  if (const YamlNode* option = parts.Find("option")) {
    SY_RETURN_IF_ERROR(CheckOption(*option, name, attr.to >= 0));
  }
  SY_ASSIGN_OR_RETURN(const YamlNode type, parts.Require("type"));
  SY_ASSIGN_OR_RETURN(const std::string word, type.Text());
  // A dtype is a number of an enumeration there: ours by name here.
  const std::optional<ValueType> value_type =
      word == "dtype" ? ValueType::kDataType : ParseValueType(word);
  if (!value_type.has_value()) {
    return type.Error("an attribute type or dtype",
                      Guessed(word, ValueTypeNames()));
  }
  attr.type = *value_type;
  if (const YamlNode* value = parts.Find("default")) {
    SY_ASSIGN_OR_RETURN(attr.default_value, LiteralOf(*value, attr.type));
  }
  if (const YamlNode* value = parts.Find("unset")) {
    SY_ASSIGN_OR_RETURN(attr.unset, LiteralOf(*value, attr.type));
  }
  if (const YamlNode* item = parts.Find("repeat")) {
    if (attr.to < 0 || attr.type != ValueType::kInt ||
        !IsList(op.signature.arguments.attrs[attr.to].type)) {
      return item->Error("an int that leads to a list", "another");
    }
    SY_ASSIGN_OR_RETURN(attr.repeat, LiteralOf(*item, ValueType::kInt64));
  }
  if (const YamlNode* bound = parts.Find("bound")) {
    SY_ASSIGN_OR_RETURN(attr.bound, bound->Text());
    if (attr.bound != "first" && attr.bound != "last") {
      return bound->Error("'first' or 'last'", attr.bound);
    }
    if (attr.to < 0 || attr.type != ValueType::kInt ||
        !IsList(op.signature.arguments.attrs[attr.to].type)) {
      return bound->Error("an int that leads to a list", "another");
    }
  }
  if (const YamlNode* range = parts.Find("range")) {
    SY_ASSIGN_OR_RETURN(attr.range, ParseRange(*range, attr));
  }
  SY_RETURN_IF_ERROR(ParseValues(parts, op, attr));
  return attr;
}

absl::Status ParseAttrs(const YamlFields& parts, const std::string& vocabulary,
                        const Op& op, Form& form) {
  if (const YamlNode* node = parts.Find("attrs")) {
    SY_ASSIGN_OR_RETURN(const YamlFields attrs, node->Fields());
    for (const auto& [name, value] : attrs.all()) {
      SY_RETURN_IF_ERROR(CheckQuotable(value, name));
      SY_ASSIGN_OR_RETURN(FormAttr attr,
                          ParseAttr(name, value, vocabulary, op));
      form.attrs.push_back(std::move(attr));
    }
  }
  if (const YamlNode* node = parts.Find("constants")) {
    SY_ASSIGN_OR_RETURN(const YamlFields constants, node->Fields());
    for (const auto& [name, value] : constants.all()) {
      const int to = FindAttr(op.signature.arguments, name);
      if (to < 0) {
        return value.Error("an attribute of args",
                           Guessed(name, AttrNames(op.signature.arguments)));
      }
      SY_ASSIGN_OR_RETURN(
          Literal literal,
          LiteralOf(value, op.signature.arguments.attrs[to].type));
      form.constants.push_back({to, std::move(literal)});
    }
  }
  return absl::OkStatus();
}

// A version of a domain's operators, a number over 0.
absl::StatusOr<int> Version(const YamlNode& node) {
  SY_ASSIGN_OR_RETURN(const std::string text, node.Text());
  int version = 0;
  if (absl::SimpleAtoi(text, &version) && version > 0) return version;
  return node.Error("a version, a number over 0", Quoted(text));
}

// `domain:`, `since:` and `before:`, of a vocabulary that has versions.
absl::Status ParseVersions(const YamlFields& parts, Form& form) {
  if (const YamlNode* domain = parts.Find("domain")) {
    SY_ASSIGN_OR_RETURN(form.domain, domain->Text());
    SY_RETURN_IF_ERROR(CheckQuotable(*domain, form.domain));
  }
  SY_ASSIGN_OR_RETURN(const YamlNode since, parts.Require("since"));
  SY_ASSIGN_OR_RETURN(form.since, Version(since));
  const YamlNode* before = parts.Find("before");
  if (before == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(form.before, Version(*before));
  if (form.before > form.since) return absl::OkStatus();
  return before->Error(absl::StrCat("a version after ", form.since),
                       absl::StrCat(form.before));
}

absl::StatusOr<Form> ParseForm(const YamlNode& node,
                               const std::string& vocabulary, const Op& op) {
  SY_ASSIGN_OR_RETURN(const YamlFields parts,
                      node.Fields(EntryKeys(vocabulary)));
  Form form;
  form.location = node.location();
  SY_ASSIGN_OR_RETURN(const YamlNode type, parts.Require("type"));
  SY_ASSIGN_OR_RETURN(form.type, TypeName(type));
  if (vocabulary == kOnnx) SY_RETURN_IF_ERROR(ParseVersions(parts, form));
  SY_ASSIGN_OR_RETURN(const YamlNode inputs, parts.Require("inputs"));
  SY_ASSIGN_OR_RETURN(form.inputs, ParseSlots(inputs, true, vocabulary, op));
  SY_ASSIGN_OR_RETURN(const YamlNode outputs, parts.Require("outputs"));
  SY_ASSIGN_OR_RETURN(form.outputs, ParseSlots(outputs, false, vocabulary, op));
  SY_RETURN_IF_ERROR(ParseAttrs(parts, vocabulary, op, form));
  if (const YamlNode* extra = parts.Find("extra")) {
    SY_ASSIGN_OR_RETURN(form.extra, ReadTexts(*extra));
    for (const std::string& name : form.extra) {
      SY_RETURN_IF_ERROR(CheckQuotable(*extra, name));
    }
  }
  if (const YamlNode* grad = parts.Find("grad")) {
    constexpr std::string_view kGradKeys[] = {"type"};
    SY_ASSIGN_OR_RETURN(const YamlFields fields, grad->Fields(kGradKeys));
    SY_ASSIGN_OR_RETURN(const YamlNode grad_type, fields.Require("type"));
    SY_ASSIGN_OR_RETURN(form.grad_type, TypeName(grad_type));
  }
  return form;
}

}  // namespace

absl::Status ParseForms(const YamlFields& fields, Op& op) {
  for (const std::string_view key : EntryKeys("vocabularies")) {
    const YamlNode* node = fields.Find(key);
    if (node == nullptr) continue;
    const std::string vocabulary(key);
    SY_ASSIGN_OR_RETURN(const std::vector<YamlNode> items, node->Items());
    for (const YamlNode& item : items) {
      SY_ASSIGN_OR_RETURN(Form form, ParseForm(item, vocabulary, op));
      op.forms_by_vocabulary[vocabulary].push_back(std::move(form));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::ops_gen
