// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/facts_parser.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

constexpr std::string_view kTraits[] = {
    "elementwise",  "view",      "random",    "commutative",
    "inplace_only", "transform", "optimizer", "extents",
    "identity",     "same_size", "permutes",  "filled"};

absl::StatusOr<int> InputPosition(const YamlNode& node, const Op& op,
                                  const std::string& name) {
  const int input = FindInput(op.signature.arguments, name);
  if (input < 0) {
    return node.Error("a tensor of args",
                      Guessed(name, InputNames(op.signature.arguments)));
  }
  return input;
}

absl::StatusOr<int> OutputPosition(const YamlNode& node, const Op& op,
                                   const std::string& name) {
  const int output = FindOutput(op.signature.outputs, name);
  if (output < 0) {
    return node.Error("an output",
                      Guessed(name, OutputNames(op.signature.outputs)));
  }
  return output;
}

// Sets a flag of the inputs that `key` lists.
absl::Status MarkInputs(const YamlFields& fields, std::string_view key,
                        bool InputFacts::*flag, Op& op) {
  const YamlNode* node = fields.Find(key);
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadTexts(*node));
  for (const std::string& name : names) {
    SY_ASSIGN_OR_RETURN(const int input, InputPosition(*node, op, name));
    op.input_facts[input].*flag = true;
  }
  return absl::OkStatus();
}

// `optional` lists inputs and outputs.
absl::Status MarkOptional(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("optional");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadTexts(*node));
  for (const std::string& name : names) {
    const int input = FindInput(op.signature.arguments, name);
    const int output = FindOutput(op.signature.outputs, name);
    const bool list =
        (input >= 0 && op.signature.arguments.inputs[input].list) ||
        (output >= 0 && op.signature.outputs[output].list());
    if ((input < 0 && output < 0) || list) {
      std::vector<std::string_view> names = InputNames(op.signature.arguments);
      const auto outputs = OutputNames(op.signature.outputs);
      names.insert(names.end(), outputs.begin(), outputs.end());
      return node->Error("a tensor of args or an output that is no list",
                         Guessed(name, names));
    }
    if (input >= 0) op.input_facts[input].optional = true;
    if (output >= 0) op.output_facts[output].optional = true;
  }
  return absl::OkStatus();
}

// `supplied` lists the attributes that tensors may supply. What decides a dtype
// or how many results there are must be known before a program runs.
absl::Status MarkSupplied(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("supplied");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadTexts(*node));
  for (const std::string& name : names) {
    const int attr = FindAttr(op.signature.arguments, name);
    if (attr < 0) {
      return node->Error("an attribute of args",
                         Guessed(name, AttrNames(op.signature.arguments)));
    }
    AttrDecl& decl = op.signature.arguments.attrs[attr];
    constexpr ValueType kTypes[] = {ValueType::kIntArray, ValueType::kInt64s,
                                    ValueType::kInt,      ValueType::kInt64,
                                    ValueType::kFloat,    ValueType::kFloats,
                                    ValueType::kDouble,   ValueType::kScalar};
    if (std::find(std::begin(kTypes), std::end(kTypes), decl.type) ==
        std::end(kTypes)) {
      return node->Error(
          "IntArray, int64_t[], int, int64_t, float, float[], double or Scalar",
          absl::StrCat(Quoted(name), " of type ", Absl(Name(decl.type))));
    }
    // The length of a list is known, whatever supplies its elements.
    for (const OutputDecl& output : op.signature.outputs) {
      if (output.size_argument != name || IsList(decl.type)) continue;
      return node->Error("no attribute that says how many results there are",
                         Quoted(name));
    }
    decl.supplied = true;
  }
  return absl::OkStatus();
}

absl::Status MarkIntermediate(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("intermediate");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadTexts(*node));
  for (const std::string& name : names) {
    SY_ASSIGN_OR_RETURN(const int output, OutputPosition(*node, op, name));
    op.output_facts[output].intermediate = true;
  }
  return absl::OkStatus();
}

// "(x -> out), (y -> out2)": `inplace`, `view` and `read_for`.
absl::Status ParseArrows(const YamlFields& fields, std::string_view key,
                         int OutputFacts::*source, Op& op) {
  const YamlNode* node = fields.Find(key);
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const std::string text, node->Text());
  Scanner scanner(text);
  std::vector<std::pair<std::string, std::string>> arrows;
  const auto scan = [&]() -> absl::Status {
    do {
      SY_RETURN_IF_ERROR(scanner.Expect("("));
      SY_ASSIGN_OR_RETURN(std::string from, scanner.Name("an input"));
      SY_RETURN_IF_ERROR(scanner.Expect(" -> "));
      SY_ASSIGN_OR_RETURN(std::string to, scanner.Name("an output"));
      SY_RETURN_IF_ERROR(scanner.Expect(")"));
      arrows.emplace_back(std::move(from), std::move(to));
    } while (scanner.Take(", "));
    return scanner.End();
  };
  SY_RETURN_IF_ERROR(node->Wrap(scan()));
  for (const auto& [from, to] : arrows) {
    SY_ASSIGN_OR_RETURN(const int input, InputPosition(*node, op, from));
    SY_ASSIGN_OR_RETURN(const int output, OutputPosition(*node, op, to));
    int& fact = op.output_facts[output].*source;
    if (fact >= 0) {
      return node->Error("each output once",
                         absl::StrCat(Quoted(to), " again"));
    }
    fact = input;
  }
  return absl::OkStatus();
}

// "(x -> y_grad)": the elements of x are read for y_grad alone. Kernels read
// what they like, so it is for what a composite computes.
absl::Status ParseReadFor(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("read_for");
  if (node == nullptr) return absl::OkStatus();
  if (fields.Find("backward_op") == nullptr ||
      fields.Find("composite") == nullptr) {
    return node->Error("a gradient written as operators", "another entry");
  }
  return ParseArrows(fields, "read_for", &OutputFacts::reads_alone, op);
}

// [x, y], or {inputs: [x, y], integer_to_float: true}.
absl::Status ParsePromotion(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("promote");
  if (node == nullptr) return absl::OkStatus();
  // phi::PromotionRule has a bit for each.
  constexpr size_t kMaxInputs = 32;
  const size_t inputs = op.signature.arguments.inputs.size();
  if (inputs > kMaxInputs) {
    return node->Error(absl::StrCat("args of at most ", kMaxInputs, " tensors"),
                       absl::StrCat(inputs));
  }
  std::vector<std::string> names;
  if (node->is_map()) {
    constexpr std::string_view kKeys[] = {"inputs", "integer_to_float"};
    SY_ASSIGN_OR_RETURN(const YamlFields parts, node->Fields(kKeys));
    SY_ASSIGN_OR_RETURN(const YamlNode inputs, parts.Require("inputs"));
    SY_ASSIGN_OR_RETURN(names, ReadTexts(inputs));
    if (const YamlNode* flag = parts.Find("integer_to_float")) {
      SY_ASSIGN_OR_RETURN(op.promotion.integer_to_float, ReadBool(*flag));
    }
  } else {
    SY_ASSIGN_OR_RETURN(names, ReadTexts(*node));
  }
  for (const std::string& name : names) {
    SY_ASSIGN_OR_RETURN(const int input, InputPosition(*node, op, name));
    op.promotion.inputs.push_back(input);
  }
  return absl::OkStatus();
}

// The rule by which autocast casts the operator's floating inputs.
absl::Status ParseAmp(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("amp");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(op.amp, node->Text());
  constexpr std::string_view kRules[] = {"narrow", "wide", "widest"};
  if (std::find(std::begin(kRules), std::end(kRules), op.amp) ==
      std::end(kRules)) {
    return node->Error("narrow, wide or widest", Guessed(op.amp, kRules));
  }
  // Gradients come in the dtypes of what was computed; what is written in
  // place keeps its dtype.
  if (fields.Find("backward_op") != nullptr || op.always_inplace()) {
    return node->Error("an operator that is no gradient and updates no input",
                       Quoted(op.name));
  }
  return absl::OkStatus();
}

absl::Status ParseDataTransform(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("data_transform");
  if (node == nullptr) return absl::OkStatus();
  constexpr std::string_view kKeys[] = {"skip_transform",
                                        "support_trans_dtype"};
  SY_ASSIGN_OR_RETURN(const YamlFields parts, node->Fields(kKeys));
  SY_RETURN_IF_ERROR(
      MarkInputs(parts, "skip_transform", &InputFacts::skip_transform, op));
  return MarkInputs(parts, "support_trans_dtype", &InputFacts::castable, op);
}

absl::Status ParseTraits(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("traits");
  if (node == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(op.traits, ReadTexts(*node));
  for (const std::string& trait : op.traits) {
    if (std::find(std::begin(kTraits), std::end(kTraits), trait) ==
        std::end(kTraits)) {
      return node->Error(
          "traits of elementwise, view, random, commutative, inplace_only, "
          "transform, optimizer, extents, identity, same_size, permutes, "
          "filled",
          Guessed(trait, kTraits));
    }
    if (std::count(op.traits.begin(), op.traits.end(), trait) > 1) {
      return node->Error("each trait once",
                         absl::StrCat(Quoted(trait), " again"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseFacts(const YamlFields& fields, Op& op) {
  SY_RETURN_IF_ERROR(MarkOptional(fields, op));
  SY_RETURN_IF_ERROR(MarkIntermediate(fields, op));
  SY_RETURN_IF_ERROR(MarkSupplied(fields, op));
  SY_RETURN_IF_ERROR(
      MarkInputs(fields, "no_need_buffer", &InputFacts::no_need_buffer, op));
  SY_RETURN_IF_ERROR(MarkInputs(fields, "batch", &InputFacts::batch, op));
  SY_RETURN_IF_ERROR(ParseDataTransform(fields, op));
  SY_RETURN_IF_ERROR(
      ParseArrows(fields, "inplace", &OutputFacts::inplace_of, op));
  SY_RETURN_IF_ERROR(ParseArrows(fields, "view", &OutputFacts::view_of, op));
  SY_RETURN_IF_ERROR(ParseReadFor(fields, op));
  SY_RETURN_IF_ERROR(ParsePromotion(fields, op));
  SY_RETURN_IF_ERROR(ParseAmp(fields, op));
  return ParseTraits(fields, op);
}

bool HasTrait(const Op& op, std::string_view trait) {
  return std::find(op.traits.begin(), op.traits.end(), trait) !=
         op.traits.end();
}

}  // namespace switchyard::ops_gen
