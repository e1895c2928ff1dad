// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/result_parser.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "framework/base/status.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

struct ResultRule {
  std::string_view func;
  const char* sentence;
};
constexpr ResultRule kRules[] = {
#define SY_RESULT_RULE(func, sentence) {#func, sentence},
#include "ops_gen/schema/result_rules.def"
#undef SY_RESULT_RULE
};

// Returns the sentence of the entry's InferMeta rule about its arguments; ""
// for a rule that has none.
std::string RuleSentence(const Op& op) {
  if (!op.infer_meta.has_value()) return "";
  const auto* rule = std::find_if(
      std::begin(kRules), std::end(kRules),
      [&](const ResultRule& r) { return r.func == op.infer_meta->func; });
  if (rule == std::end(kRules)) return "";
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::string& param : op.infer_meta->params) {
    names.emplace_back(absl::StrCat("$", names.size()), param);
  }
  return absl::StrReplaceAll(rule->sentence, names);
}

bool Names(const Op& op, const std::string& name) {
  const Arguments& arguments = op.signature.arguments;
  const auto named = [&name](const auto& decl) { return decl.name == name; };
  return std::any_of(arguments.inputs.begin(), arguments.inputs.end(), named) ||
         std::any_of(arguments.attrs.begin(), arguments.attrs.end(), named) ||
         std::any_of(op.signature.outputs.begin(), op.signature.outputs.end(),
                     named);
}

// A sentence goes on from "The result is", and what it quotes exists.
absl::StatusOr<std::string> ParseSentence(const YamlNode& node, const Op& op) {
  SY_ASSIGN_OR_RETURN(std::string text, node.Text());
  if (text.empty() || absl::EndsWith(text, ".")) {
    return node.Error("words after 'The result is', without a full stop",
                      Quoted(text));
  }
  const std::vector<std::string> parts = absl::StrSplit(text, '`');
  for (size_t i = 1; i < parts.size(); i += 2) {
    if (i + 1 < parts.size() && Names(op, parts[i])) continue;
    return node.Error("names of args and outputs between backticks",
                      absl::StrCat("'", parts[i], "'"));
  }
  return text;
}

// One text for the only output that callers see, or one by name for each.
absl::Status ParseKey(const YamlNode& node, Op& op) {
  const std::vector<OutputDecl>& outputs = op.signature.outputs;
  if (node.is_map()) {
    std::vector<std::string_view> names;
    for (const OutputDecl& output : outputs) names.push_back(output.name);
    SY_ASSIGN_OR_RETURN(const YamlFields fields, node.Fields(names));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const YamlNode* field = fields.Find(outputs[i].name);
      if (field == nullptr) continue;
      SY_ASSIGN_OR_RETURN(op.output_facts[i].result, ParseSentence(*field, op));
    }
    return absl::OkStatus();
  }
  std::vector<size_t> shown;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!op.output_facts[i].intermediate) shown.push_back(i);
  }
  if (shown.size() != 1) {
    return node.Error("a text for each output, by its name", "one text");
  }
  SY_ASSIGN_OR_RETURN(op.output_facts[shown[0]].result,
                      ParseSentence(node, op));
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseResult(const YamlNode& entry, const YamlFields& fields,
                         Op& op) {
  const std::string sentence = RuleSentence(op);
  const YamlNode* node = fields.Find("result");
  if (node != nullptr && !sentence.empty()) {
    return node->Error(
        absl::StrCat("no 'result' beside ", op.infer_meta->func,
                     ", whose sentence is in ops_gen/schema/result_rules.def"),
        "one");
  }
  if (node != nullptr) SY_RETURN_IF_ERROR(ParseKey(*node, op));
  for (size_t i = 0; i < op.output_facts.size(); ++i) {
    OutputFacts& facts = op.output_facts[i];
    if (!facts.result.empty()) continue;
    facts.result = sentence;
    if (sentence.empty() && op.always_inplace() && facts.inplace_of >= 0) {
      facts.result = absl::StrCat(
          "of the shape and dtype of `",
          op.signature.arguments.inputs[facts.inplace_of].name, "`");
    }
    if (facts.result.empty() && !facts.intermediate &&
        !op.gradient.has_value()) {
      return entry.Error(
          absl::StrCat("the key 'result' with the shape of '",
                       op.signature.outputs[i].name,
                       "', or a rule of ops_gen/schema/result_rules.def"),
          "none");
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::ops_gen
