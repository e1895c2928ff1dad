// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/signature.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/capi/identifier.h"
#include "phi/selection/attribute_text.h"

namespace switchyard::phi::capi {
namespace {

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string Quoted(std::string_view text) {
  return std::string("'").append(text).append("'");
}

// Returns the parts between commas outside of brackets and quotation marks;
// none of an empty text.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i == text.size() ? ',' : text[i];
    if (c == '"') quoted = !quoted;
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c != ',' || ((quoted || depth > 0) && i < text.size())) continue;
    parts.push_back(Stripped(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

// "Tensor x" -> {"Tensor", "x"}; the second is empty where there is no space.
std::pair<std::string_view, std::string_view> Words(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == std::string_view::npos) return {text, {}};
  return {text.substr(0, space), Stripped(text.substr(space))};
}

bool IsTypeOfPlugins(AttrType type) {
  return type == AttrType::kBool || type == AttrType::kInt64 ||
         type == AttrType::kDouble || type == AttrType::kString;
}

absl::Status AddAttr(std::string_view type_word, std::string_view rest,
                     Signature* signature) {
  const std::optional<AttrType> type = ParseAttrType(type_word);
  if (!type.has_value() || !IsTypeOfPlugins(*type)) {
    return ArgumentError("the type of an argument",
                         "Tensor, bool, int64_t, double or str",
                         Quoted(type_word));
  }
  Signature::Attr attr;
  attr.type = *type;
  const size_t equals = rest.find('=');
  attr.name = Stripped(rest.substr(0, equals));
  if (equals != std::string_view::npos) {
    const std::string text(Stripped(rest.substr(equals + 1)));
    attr.default_value = selection::ParseAttribute(*type, text);
    if (!attr.default_value.has_value()) {
      return ArgumentError(absl::StrCat("the default of ", attr.name),
                           absl::StrCat("of type ", std::string(type_word)),
                           Quoted(text));
    }
  }
  signature->attrs.push_back(std::move(attr));
  return absl::OkStatus();
}

absl::Status AddArgument(std::string_view text, Signature* signature) {
  const auto [type, rest] = Words(text);
  if (type != "Tensor") return AddAttr(type, rest, signature);
  if (!signature->attrs.empty()) {
    return ArgumentError("inputs", "in front of the attributes", Quoted(rest));
  }
  signature->inputs.emplace_back(rest);
  return absl::OkStatus();
}

absl::Status CheckNames(const Signature& signature) {
  std::set<std::string_view> seen;
  std::vector<std::string_view> names(signature.inputs.begin(),
                                      signature.inputs.end());
  for (const auto& attr : signature.attrs) names.push_back(attr.name);
  names.insert(names.end(), signature.outputs.begin(), signature.outputs.end());
  for (const std::string_view name : names) {
    if (!IsIdentifier(name)) {
      return ArgumentError("the name of an argument", "an identifier",
                           Quoted(name));
    }
    if (!seen.insert(name).second) {
      return ArgumentError("names of arguments", "given once",
                           Quoted(name) + " twice");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Signature> ParseSignature(std::string_view text) {
  Signature signature;
  const size_t open = text.find('(');
  const size_t arrow = text.find("->");
  const std::string_view left = Stripped(text.substr(0, arrow));
  const std::string_view right =
      arrow == std::string_view::npos ? "" : Stripped(text.substr(arrow + 2));
  signature.name = Stripped(text.substr(0, open));
  if (open == std::string_view::npos || open >= left.size() ||
      left.back() != ')' || right.size() < 2 || right.front() != '(' ||
      right.back() != ')' || !IsIdentifier(signature.name)) {
    return ArgumentError(
        "signature", "like 'name(Tensor x, double a = 1.0) -> (Tensor out)'",
        Quoted(text));
  }
  for (const std::string_view argument :
       Split(left.substr(open + 1, left.size() - open - 2))) {
    SY_RETURN_IF_ERROR(AddArgument(argument, &signature));
  }
  for (const std::string_view output :
       Split(right.substr(1, right.size() - 2))) {
    const auto [type, name] = Words(output);
    if (type != "Tensor") {
      return ArgumentError("the type of an output", "Tensor", Quoted(type));
    }
    signature.outputs.emplace_back(name);
  }
  if (signature.inputs.empty() || signature.outputs.empty()) {
    return ArgumentError("signature", "with an input and an output",
                         Quoted(text));
  }
  SY_RETURN_IF_ERROR(CheckNames(signature));
  return signature;
}

std::vector<std::string> SplitNames(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text);
  return {parts.begin(), parts.end()};
}

absl::StatusOr<std::vector<Attribute>> ParseAttributes(const OpInfo& op,
                                                       std::string_view text) {
  std::vector<std::optional<Attribute>> given(op.attrs.size());
  for (const std::string_view part : Split(text)) {
    const size_t equals = part.find('=');
    const std::string name(Stripped(part.substr(0, equals)));
    const int i = op.attr_index(name);
    if (i < 0 || equals == std::string_view::npos) {
      return ArgumentError("an attribute", "given as 'name=value'",
                           Quoted(part));
    }
    const std::string value(Stripped(part.substr(equals + 1)));
    given[i] = selection::ParseAttribute(op.attrs[i].type, value);
    if (!given[i].has_value()) {
      return ArgumentError(
          name, absl::StrCat("of type ", std::string(Name(op.attrs[i].type))),
          Quoted(value));
    }
  }
  std::vector<Attribute> values;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].has_value()) {
      if (!op.attrs[i].has_default) {
        return ArgumentError(op.attrs[i].name, "given", "none");
      }
      given[i] = Attribute(op.attrs[i].default_value);
    }
    values.push_back(*std::move(given[i]));
  }
  return values;
}

}  // namespace switchyard::phi::capi
