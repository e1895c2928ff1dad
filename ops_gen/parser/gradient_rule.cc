// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/gradient_rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"

namespace switchyard::ops_gen {
namespace {

// The gradient's input that is this input of the forward operator, or -1.
int FindForwardInput(const Gradient& gradient, int index) {
  for (size_t i = 0; i < gradient.inputs.size(); ++i) {
    const GradInput& input = gradient.inputs[i];
    if (input.kind == GradInput::Kind::kInput && input.index == index) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

// Whether the gradient has an argument of the forward operator's InferMeta.
bool HasArgument(const Op& forward, const Op& op, const std::string& param) {
  const Arguments& arguments = forward.signature.arguments;
  const int input = FindInput(arguments, param);
  if (input >= 0) {
    const int own = FindForwardInput(*op.gradient, input);
    return own >= 0 && (forward.input_facts[input].optional ||
                        !op.input_facts[own].optional);
  }
  const int attr = FindAttr(arguments, param);
  const std::vector<int>& attrs = op.gradient->attrs;
  if (std::find(attrs.begin(), attrs.end(), attr) != attrs.end()) return true;
  const AttrDecl& decl = arguments.attrs[attr];
  return decl.default_value.has_value() && !decl.supplied;
}

}  // namespace

absl::Status ResolveGradientRule(const YamlFields& fields, const Op* previous,
                                 Op& op) {
  if (!op.infer_meta.has_value() || !op.infer_meta->gradient) {
    return absl::OkStatus();
  }
  const YamlNode& node = *fields.Find("infer_meta");
  if (!op.gradient.has_value()) return node.Error("a map", "'gradient'");
  if (!previous->infer_meta.has_value() || previous->infer_meta->gradient) {
    return node.Error(
        absl::StrCat("a map beside no function of ", previous->name),
        "'gradient'");
  }
  for (const std::string& param : previous->infer_meta->params) {
    if (HasArgument(*previous, op, param)) continue;
    return node.Error(absl::StrCat("'", param, "' in args, which ",
                                   previous->infer_meta->func, " takes"),
                      "none");
  }
  for (const int output : op.gradient->outputs) {
    if (FindForwardInput(*op.gradient, output) >= 0) continue;
    const std::string& name = previous->signature.arguments.inputs[output].name;
    return node.Error(
        absl::StrCat("'", name, "' in args, which ", name, "_grad is like"),
        "none");
  }
  for (const GradInput& input : op.gradient->inputs) {
    if (input.kind == GradInput::Kind::kInput) continue;
    const OutputDecl& output = previous->signature.outputs[input.index];
    if (!output.list()) continue;
    return node.Error(absl::StrCat("a map beside the list ", output.name),
                      "'gradient'");
  }
  op.infer_meta->header = previous->infer_meta->header;
  return absl::OkStatus();
}

}  // namespace switchyard::ops_gen
