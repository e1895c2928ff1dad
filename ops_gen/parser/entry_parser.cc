// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/entry_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/facts_parser.h"
#include "ops_gen/parser/form_parser.h"
#include "ops_gen/parser/gradient_parser.h"
#include "ops_gen/parser/gradient_rule.h"
#include "ops_gen/parser/kernel_parser.h"
#include "ops_gen/parser/literal_parser.h"
#include "ops_gen/parser/names.h"
#include "ops_gen/parser/python_parser.h"
#include "ops_gen/parser/result_parser.h"
#include "ops_gen/parser/scanner.h"
#include "ops_gen/parser/signature_parser.h"
#include "ops_gen/parser/upgrade_parser.h"
#include "ops_gen/schema/keys.h"

namespace switchyard::ops_gen {
namespace {

absl::Status ParseSignature(const YamlFields& fields, Op& op) {
  SY_ASSIGN_OR_RETURN(const YamlNode args, fields.Require("args"));
  SY_ASSIGN_OR_RETURN(const std::string args_text, args.Text());
  absl::StatusOr<Arguments> arguments = ParseArguments(args_text);
  SY_RETURN_IF_ERROR(args.Wrap(arguments.status()));
  op.signature.arguments = *std::move(arguments);

  SY_ASSIGN_OR_RETURN(const YamlNode output, fields.Require("output"));
  SY_ASSIGN_OR_RETURN(const std::string output_text, output.Text());
  absl::StatusOr<std::vector<OutputDecl>> outputs =
      ParseOutputs(output_text, op.signature.arguments);
  SY_RETURN_IF_ERROR(output.Wrap(outputs.status()));
  op.signature.outputs = *std::move(outputs);

  for (const InputDecl& input : op.signature.arguments.inputs) {
    SY_RETURN_IF_ERROR(args.Wrap(CheckName(input.name)));
  }
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    SY_RETURN_IF_ERROR(args.Wrap(CheckName(attr.name)));
  }
  for (const OutputDecl& out : op.signature.outputs) {
    SY_RETURN_IF_ERROR(output.Wrap(CheckName(out.name)));
  }
  op.input_facts.resize(op.signature.arguments.inputs.size());
  op.output_facts.resize(op.signature.outputs.size());
  return absl::OkStatus();
}

absl::Status ParseComposite(const YamlFields& fields, const std::string& family,
                            Op& op) {
  const YamlNode* node = fields.Find("composite");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const YamlFields parts,
                      node->Fields(EntryKeys("composite")));
  SY_ASSIGN_OR_RETURN(const YamlNode func, parts.Require("func"));
  SY_ASSIGN_OR_RETURN(const YamlNode uses, parts.Require("uses"));
  CompositeBody body;
  SY_ASSIGN_OR_RETURN(body.func, FunctionName(func));
  SY_ASSIGN_OR_RETURN(body.uses, ReadTexts(uses));
  for (const std::string& used : body.uses) {
    SY_RETURN_IF_ERROR(uses.Wrap(CheckName(used)));
  }
  if (!std::is_sorted(body.uses.begin(), body.uses.end()) ||
      std::adjacent_find(body.uses.begin(), body.uses.end()) !=
          body.uses.end()) {
    return uses.Error(
        "operators in alphabetical order, each once",
        absl::StrCat("'", body.uses.empty() ? "" : body.uses.front(),
                     ", ...'"));
  }
  body.header = family;
  if (const YamlNode* header = parts.Find("header")) {
    SY_ASSIGN_OR_RETURN(body.header, header->Text());
    SY_RETURN_IF_ERROR(header->Wrap(CheckName(body.header)));
  }
  op.composite = std::move(body);
  return absl::OkStatus();
}

bool IsArgumentOrLiteral(const Arguments& arguments, const std::string& text) {
  constexpr ValueType kLiterals[] = {ValueType::kScalar, ValueType::kString,
                                     ValueType::kDataType};
  if (FindInput(arguments, text) >= 0 || FindAttr(arguments, text) >= 0) {
    return true;
  }
  for (const ValueType type : kLiterals) {
    if (ParseLiteral(type, text).ok()) return true;
  }
  return false;
}

// "full_like(x, 0)".
absl::Status ParseInvoke(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("invoke");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const std::string text, node->Text());
  Scanner scanner(text);
  Invocation invocation;
  const auto scan = [&]() -> absl::Status {
    SY_ASSIGN_OR_RETURN(invocation.op, scanner.Name("an operator's name"));
    SY_RETURN_IF_ERROR(scanner.Expect("("));
    if (!scanner.Take(")")) {
      do {
        invocation.arguments.emplace_back(scanner.Item(",)"));
      } while (scanner.Take(", "));
      SY_RETURN_IF_ERROR(scanner.Expect(")"));
    }
    return scanner.End();
  };
  SY_RETURN_IF_ERROR(node->Wrap(scan()));
  for (const std::string& argument : invocation.arguments) {
    if (!IsArgumentOrLiteral(op.signature.arguments, argument)) {
      return node->Error("names of args and literals", Quoted(argument));
    }
  }
  if (op.signature.outputs.size() != 1 || op.signature.outputs[0].list()) {
    return node->Error("one output that is no list", "others");
  }
  op.invoke = std::move(invocation);
  return absl::OkStatus();
}

absl::Status ParseWords(const YamlFields& fields, Op& op) {
  if (const YamlNode* node = fields.Find("doc")) {
    SY_ASSIGN_OR_RETURN(op.doc, node->Text());
  }
  if (const YamlNode* node = fields.Find("functor")) {
    SY_ASSIGN_OR_RETURN(op.functor, FunctionName(*node));
  }
  if (const YamlNode* node = fields.Find("backward")) {
    SY_ASSIGN_OR_RETURN(op.backward, node->Text());
    SY_RETURN_IF_ERROR(node->Wrap(CheckName(op.backward)));
  }
  return absl::OkStatus();
}

// A functor makes the first kernel, that of dense tensors; others are for other
// kinds, and functions of their own.
absl::Status CheckFunctor(const YamlNode& node, const Op& op) {
  const std::vector<KernelFunction>& functions = op.kernel->functions;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].all_dense() == (i == 0)) continue;
    return node.Error(
        "one kernel of dense tensors, the first, beside 'functor'",
        absl::StrCat("'", functions[i].name, "'"));
  }
  if (functions.size() > 1 && !op.kernel->kinds_header.has_value()) {
    return node.Error(
        "the key 'kinds_header' beside 'functor' and kernels of "
        "other kinds",
        "none");
  }
  return absl::OkStatus();
}

// Checks that the operator has exactly one way to run: kernels, a composite
// body or both, or else another operator.
absl::Status CheckBody(const YamlNode& node, const Op& op) {
  const bool own = op.kernel.has_value() || op.composite.has_value();
  if (own == op.invoke.has_value()) {
    return node.Error("a kernel, a composite or both, or else an invoke",
                      own ? "an invoke as well" : "none");
  }
  if (op.kernel.has_value() && !op.infer_meta.has_value()) {
    return node.Error("the key 'infer_meta' beside 'kernel'", "none");
  }
  if (op.invoke.has_value() && op.infer_meta.has_value()) {
    return node.Error("no 'infer_meta' beside 'invoke'", "one");
  }
  if (!op.functor.empty() && !op.kernel.has_value()) {
    return node.Error("the key 'kernel' beside 'functor'", "none");
  }
  if (!op.functor.empty()) SY_RETURN_IF_ERROR(CheckFunctor(node, op));
  const bool inplace_only = HasTrait(op, "inplace_only");
  if (absl::EndsWith(op.name, "_") != inplace_only) {
    return node.Error(
        "the trait inplace_only exactly on names that end in '_'",
        absl::StrCat("'", op.name, "'", inplace_only ? " with it" : ""));
  }
  if (HasTrait(op, "random") && FindInput(op.signature.arguments, "rng") < 0) {
    return node.Error("the input 'rng' beside the trait random", "none");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> EntryName(const YamlNode& node) {
  const std::optional<YamlNode> forward = node.Peek("op");
  const std::optional<YamlNode> backward = node.Peek("backward_op");
  if (forward.has_value() == backward.has_value()) {
    return node.Error("one of the keys 'op' and 'backward_op'",
                      forward.has_value() ? "both" : "none");
  }
  const YamlNode& key = forward.has_value() ? *forward : *backward;
  SY_ASSIGN_OR_RETURN(std::string name, key.Text());
  SY_RETURN_IF_ERROR(key.Wrap(CheckName(name)));
  return name;
}

}  // namespace

absl::StatusOr<Op> ParseEntry(const YamlNode& node, const std::string& family,
                              const Op* previous) {
  Op op;
  SY_ASSIGN_OR_RETURN(op.name, EntryName(node));
  const YamlNode entry = node.At(op.name);
  op.location = entry.location();
  SY_ASSIGN_OR_RETURN(const YamlFields fields,
                      entry.Fields(EntryKeys("entry")));
  SY_RETURN_IF_ERROR(ParseSignature(fields, op));
  SY_RETURN_IF_ERROR(ParseWords(fields, op));
  SY_RETURN_IF_ERROR(ParseFacts(fields, op));
  SY_RETURN_IF_ERROR(ParseUpgrades(fields, op));
  SY_RETURN_IF_ERROR(ParseInferMeta(fields, family, op));
  SY_RETURN_IF_ERROR(ParseKernel(fields, family, op));
  SY_RETURN_IF_ERROR(ParseComposite(fields, family, op));
  SY_RETURN_IF_ERROR(ParseInvoke(fields, op));
  SY_RETURN_IF_ERROR(ParseForwardOnly(fields, op));
  SY_RETURN_IF_ERROR(ParseGradient(entry, fields, previous, op));
  SY_RETURN_IF_ERROR(ResolveGradientRule(fields, previous, op));
  SY_RETURN_IF_ERROR(ParseForms(fields, op));
  SY_RETURN_IF_ERROR(ParsePython(fields, op));
  SY_RETURN_IF_ERROR(CheckBody(entry, op));
  SY_RETURN_IF_ERROR(ParseResult(entry, fields, op));
  return op;
}

}  // namespace switchyard::ops_gen
