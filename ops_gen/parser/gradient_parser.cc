// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/gradient_parser.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/signature_parser.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kSuffix[] = "_grad";

std::string Quoted(const std::string& text) {
  return absl::StrCat("'", text, "'");
}

// "x" of "x_grad"; "" if the name has no such end.
std::string Stem(const std::string& name) {
  if (!absl::EndsWith(name, kSuffix)) return "";
  return name.substr(0, name.size() - (sizeof(kSuffix) - 1));
}

absl::Status MapInputs(const YamlNode& node, const Op& forward, Op& op) {
  const Signature& from = forward.signature;
  for (const InputDecl& input : op.signature.arguments.inputs) {
    const int in = FindInput(from.arguments, input.name);
    const int out = FindOutput(from.outputs, input.name);
    const int grad = FindOutput(from.outputs, Stem(input.name));
    GradInput source;
    bool list = false;
    if (in >= 0) {
      source = {GradInput::Kind::kInput, in};
      list = from.arguments.inputs[in].list;
    } else if (out >= 0) {
      source = {GradInput::Kind::kOutput, out};
      list = from.outputs[out].list();
    } else if (grad >= 0) {
      source = {GradInput::Kind::kOutputGrad, grad};
      list = from.outputs[grad].list();
    } else {
      return node.Error(
          absl::StrCat("tensors of ", forward.name,
                       ": its arguments, its outputs, <output>_grad"),
          Quoted(input.name));
    }
    if (list != input.list) {
      return node.Error(
          absl::StrCat(list ? "Tensor[] " : "Tensor ", input.name),
          absl::StrCat(input.list ? "Tensor[] " : "Tensor ", input.name));
    }
    op.gradient->inputs.push_back(source);
  }
  return absl::OkStatus();
}

absl::Status MapAttrs(const YamlNode& node, const Op& forward, Op& op) {
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    const int from = FindAttr(forward.signature.arguments, attr.name);
    if (from < 0 && !attr.default_value.has_value()) {
      return node.Error(
          absl::StrCat("attributes of ", forward.name, " or a default"),
          Quoted(attr.name));
    }
    if (from >= 0 &&
        forward.signature.arguments.attrs[from].type != attr.type) {
      return node.Error(
          absl::StrCat(
              std::string(Name(forward.signature.arguments.attrs[from].type)),
              " ", attr.name, " as in ", forward.name),
          absl::StrCat(std::string(Name(attr.type)), " ", attr.name));
    }
    op.gradient->attrs.push_back(from);
  }
  return absl::OkStatus();
}

absl::Status MapOutputs(const YamlNode& node, const Op& forward, Op& op) {
  for (const OutputDecl& output : op.signature.outputs) {
    const int input = FindInput(forward.signature.arguments, Stem(output.name));
    if (input < 0) {
      return node.Error(
          absl::StrCat("<input>_grad of an input of ", forward.name),
          Quoted(output.name));
    }
    if (forward.signature.arguments.inputs[input].list != output.list()) {
      return node.Error("a list for a list, a tensor for a tensor",
                        Quoted(output.name));
    }
    op.gradient->outputs.push_back(input);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseGradient(const YamlNode& entry, const YamlFields& fields,
                           const Op* previous, Op& op) {
  const YamlNode* node = fields.Find("forward");
  if (fields.Find("backward_op") == nullptr) {
    if (node == nullptr) return absl::OkStatus();
    return node->Error("'forward' in a backward_op only", "it in an op");
  }
  if (node == nullptr) return entry.Error("the key 'forward'", "none");
  SY_ASSIGN_OR_RETURN(const std::string text, node->Text());
  const absl::StatusOr<NamedSignature> forward = ParseNamedSignature(text);
  SY_RETURN_IF_ERROR(node->Wrap(forward.status()));
  if (previous == nullptr || previous->name != forward->name) {
    return node->Error(
        absl::StrCat("the entry of ", forward->name, " right above"),
        previous == nullptr ? "none" : Quoted(previous->name));
  }
  if (previous->backward != op.name) {
    return node->Error(absl::StrCat("backward: ", op.name, " in the entry of ",
                                    previous->name),
                       Quoted(previous->backward));
  }
  const std::string actual =
      PrintNamedSignature(previous->name, previous->signature);
  if (actual != text) return node->Error(Quoted(actual), Quoted(text));

  op.gradient.emplace();
  op.gradient->forward = previous->name;
  SY_ASSIGN_OR_RETURN(const YamlNode args, fields.Require("args"));
  SY_ASSIGN_OR_RETURN(const YamlNode output, fields.Require("output"));
  SY_RETURN_IF_ERROR(MapInputs(args, *previous, op));
  SY_RETURN_IF_ERROR(MapAttrs(args, *previous, op));
  return MapOutputs(output, *previous, op);
}

}  // namespace switchyard::ops_gen
