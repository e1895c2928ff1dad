// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/gradient_parser.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"
#include "ops_gen/schema/dtype_sets.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kSuffix[] = "_grad";

// "x" of "x_grad"; "" if the name has no such end.
std::string Stem(const std::string& name) {
  if (!absl::EndsWith(name, kSuffix)) return "";
  return name.substr(0, name.size() - (sizeof(kSuffix) - 1));
}

// All that a gradient may take of the tensors of its forward operator.
std::vector<std::string> GradInputNames(const Signature& forward) {
  std::vector<std::string> names;
  for (const InputDecl& input : forward.arguments.inputs) {
    names.push_back(input.name);
  }
  for (const OutputDecl& output : forward.outputs) {
    names.push_back(output.name);
    names.push_back(output.name + kSuffix);
  }
  return names;
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
      const std::vector<std::string> names = GradInputNames(from);
      const std::vector<std::string_view> views(names.begin(), names.end());
      return node.Error(
          absl::StrCat("tensors of ", forward.name,
                       ": its arguments, its outputs, <output>_grad"),
          Guessed(input.name, views));
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
  for (AttrDecl& attr : op.signature.arguments.attrs) {
    const int from = FindAttr(forward.signature.arguments, attr.name);
    if (from < 0 && !attr.default_value.has_value()) {
      return node.Error(
          absl::StrCat("attributes of ", forward.name, " or a default"),
          Guessed(attr.name, AttrNames(forward.signature.arguments)));
    }
    if (from >= 0 &&
        forward.signature.arguments.attrs[from].type != attr.type) {
      return node.Error(
          absl::StrCat(Absl(Name(forward.signature.arguments.attrs[from].type)),
                       " ", attr.name, " as in ", forward.name),
          absl::StrCat(Absl(Name(attr.type)), " ", attr.name));
    }
    // The tensor that supplies the forward attribute supplies this one.
    if (from >= 0 && forward.signature.arguments.attrs[from].supplied) {
      attr.supplied = true;
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

// The devices' names in messages, by backend as `kernels:` writes it.
std::string DeviceOf(const std::string& backend) {
  if (backend == "reference") return backend;
  return absl::StrContains(backend, "gpu") ? "gpu" : "cpu";
}

bool Contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// Device and dtype of each kernel that may be asked for a gradient.
std::set<std::pair<std::string, std::string>> DifferentiableKernels(
    const Op& op, const std::vector<std::string>& left_out) {
  std::set<std::pair<std::string, std::string>> found;
  const std::vector<std::string> among = DtypesOfSet("differentiable");
  for (const KernelFunction& function : op.kernel->functions) {
    for (const auto& [backend, dtypes] : function.coverage) {
      if (Contains(left_out, backend)) continue;
      for (const std::string& dtype : dtypes) {
        if (!Contains(among, dtype)) continue;
        found.insert({DeviceOf(backend), dtype});
      }
    }
  }
  return found;
}

// A dtype that a device computes the forward operator in must have a gradient
// there. A gradient without kernels is made of operators with their own.
absl::Status CheckCoverage(const YamlFields& fields, const Op& forward,
                           const Op& op) {
  if (!op.kernel.has_value() || !forward.kernel.has_value()) {
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const YamlNode node, fields.Require("kernels"));
  const auto has = DifferentiableKernels(op, {});
  for (const auto& wanted :
       DifferentiableKernels(forward, forward.forward_only)) {
    if (has.count(wanted) > 0) continue;
    const auto& [device, dtype] = wanted;
    return node.Error(
        absl::StrCat(dtype, " on ", device, " as ", forward.name,
                     " has it, or its backend in 'forward_only:' there"),
        "none");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseForwardOnly(const YamlFields& fields, Op& op) {
  const YamlNode* node = fields.Find("forward_only");
  if (node == nullptr) return absl::OkStatus();
  if (!op.kernel.has_value() || op.backward.empty()) {
    return node->Error("it beside 'kernels' and 'backward'", "neither or one");
  }
  SY_ASSIGN_OR_RETURN(op.forward_only, ReadTexts(*node));
  for (const std::string& backend : op.forward_only) {
    const std::vector<KernelFunction>& functions = op.kernel->functions;
    const bool known =
        std::any_of(functions.begin(), functions.end(),
                    [&backend](const KernelFunction& function) {
                      return function.coverage.count(backend) > 0;
                    });
    if (!known) return node->Error("backends of 'kernels'", Quoted(backend));
  }
  return absl::OkStatus();
}

absl::Status ParseGradient(const YamlNode& entry, const YamlFields& fields,
                           const Op* previous, Op& op) {
  if (fields.Find("backward_op") == nullptr) return absl::OkStatus();
  if (previous == nullptr) {
    return entry.Error(
        absl::StrCat("the entry with 'backward: ", op.name, "' right above"),
        "none");
  }
  if (previous->backward != op.name) {
    return entry.Error(
        absl::StrCat("'backward: ", op.name, "' in the entry right above, ",
                     previous->name),
        Quoted(previous->backward));
  }

  op.gradient.emplace();
  op.gradient->forward = previous->name;
  SY_ASSIGN_OR_RETURN(const YamlNode args, fields.Require("args"));
  SY_ASSIGN_OR_RETURN(const YamlNode output, fields.Require("output"));
  SY_RETURN_IF_ERROR(MapInputs(args, *previous, op));
  SY_RETURN_IF_ERROR(MapAttrs(args, *previous, op));
  SY_RETURN_IF_ERROR(MapOutputs(output, *previous, op));
  return CheckCoverage(fields, *previous, op);
}

}  // namespace switchyard::ops_gen
