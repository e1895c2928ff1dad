// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/signatures.h"

#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/infer_meta.h"
#include "ops_gen/emit/kernel_args.h"
#include "ops_gen/emit/op_info.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kFolder[] = "phi/core/signatures/";
constexpr char kNamespace[] = "switchyard::phi";

std::string HeaderPath(const std::string& name) {
  return absl::StrCat(kFolder, name, ".gen.h");
}

// A kernel's parameters as a function's type has them.
std::vector<std::string> ParameterItems(const Op& op,
                                        const KernelFunction& function) {
  std::vector<std::string> items = {"const DeviceContext& context"};
  for (const KernelParameter& parameter : KernelParameters(op, function)) {
    items.push_back(absl::StrCat(parameter.type, " ", parameter.name));
  }
  return items;
}

// "context" and the names of those parameters.
std::vector<std::string> ParameterNames(const Op& op,
                                        const KernelFunction& function) {
  std::vector<std::string> names = {"context"};
  for (const KernelParameter& parameter : KernelParameters(op, function)) {
    names.push_back(parameter.name);
  }
  return names;
}

std::vector<std::string> ParamItems(const Op& op) {
  const Arguments& arguments = op.signature.arguments;
  std::vector<std::string> items;
  for (const std::string& param : op.kernel->params) {
    const int i = FindInput(arguments, param);
    items.push_back(i < 0 ? absl::StrCat("{Param::Kind::kAttr, ",
                                         FindAttr(arguments, param), "}")
                          : absl::StrCat("{Param::Kind::kInput, ", i, "}"));
  }
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    items.push_back(absl::StrCat("{Param::Kind::kOutput, ", i, "}"));
  }
  return items;
}

std::string Kinds(const std::string& name,
                  const std::vector<std::string>& kinds) {
  std::vector<std::string> items;
  for (const std::string& kind : kinds) items.push_back(KindEnumerator(kind));
  return Fill(
      absl::Substitute("  static constexpr std::array<TensorKind, $0> $1 = {",
                       kinds.size(), name),
      items, "};\n", 6);
}

// "kX", "kAxis", ...: inputs, attributes and outputs by position.
std::string Positions(const Op& op) {
  std::set<std::string> taken;
  std::string text;
  const auto add = [&](const std::string& name, size_t i, bool output) {
    std::string constant = absl::StrCat("k", Camel(name));
    if (output && taken.count(constant) > 0) constant += "Out";
    taken.insert(constant);
    absl::StrAppend(&text, "  static constexpr int ", constant, " = ", i,
                    ";\n");
  };
  const Arguments& arguments = op.signature.arguments;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    add(arguments.inputs[i].name, i, false);
  }
  for (size_t i = 0; i < arguments.attrs.size(); ++i) {
    add(arguments.attrs[i].name, i, false);
  }
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    add(op.signature.outputs[i].name, i, true);
  }
  return text;
}

std::string SignatureStruct(const Op& op, const KernelFunction& function) {
  std::string text = absl::Substitute(
      "\nstruct $0 {\n"
      "  static constexpr const char* kOp = \"$1\";\n",
      SignatureName(function.name), op.name);
  absl::StrAppend(
      &text,
      Fill("  using Function = absl::Status(", ParameterItems(op, function),
           ");\n", 6),
      Fill("  enum class Parameter { ", ParameterNames(op, function), " };\n",
           6),
      Fill("  static constexpr Param kParams[] = {", ParamItems(op), "};\n", 6),
      absl::Substitute("  static constexpr int kNumInputs = $0;\n"
                       "  static constexpr int kNumOutputs = $1;\n",
                       function.input_kinds.size(),
                       function.output_kinds.size()),
      Kinds("kInputKinds", function.input_kinds),
      Kinds("kOutputKinds", function.output_kinds), Positions(op), "};\n");
  return text;
}

GeneratedFile InfoHeader(const Family& family, const Op& op) {
  std::string body =
      absl::StrCat("\nextern const OpInfo info_", op.name, ";\n");
  std::vector<std::string> includes = {"phi/core/op_info.h"};
  if (op.kernel.has_value()) {
    includes = {"<array>", "phi/core/kernel_thunk.h",
                "phi/core/kernel_context.h", "phi/core/op_info.h"};
    for (const KernelFunction& function : op.kernel->functions) {
      body += SignatureStruct(op, function);
    }
  }
  return {op.name + ".gen.h", Header(FileTop(family, op), HeaderPath(op.name),
                                     includes, kNamespace, body)};
}

GeneratedFile InfoSource(const Family& family, const Op& op) {
  std::vector<std::string> includes;
  if (NeedsLimits(op)) includes.push_back("<limits>");
  for (const std::string& include : InferMetaIncludes(op)) {
    includes.push_back(include);
  }
  return {op.name + ".gen.cc",
          Source(FileTop(family, op), HeaderPath(op.name), includes, kNamespace,
                 OpInfoDefinition(family, op))};
}

GeneratedFile GradientHeader(const Family& family, const Op& backward) {
  const std::string& forward = backward.gradient->forward;
  return {forward + "_grad_map.gen.h",
          Header(FileTop(family, backward), HeaderPath(forward + "_grad_map"),
                 {"phi/core/grad_info.h"}, kNamespace,
                 absl::StrCat("\nextern const GradInfo grad_map_", forward,
                              ";\n"))};
}

GeneratedFile GradientSource(const Family& family, const Op& backward) {
  const std::string& forward = backward.gradient->forward;
  return {forward + "_grad_map.gen.cc",
          Source(FileTop(family, backward), HeaderPath(forward + "_grad_map"),
                 {HeaderPath(forward), HeaderPath(backward.name)}, kNamespace,
                 GradInfoDefinition(backward))};
}

}  // namespace

std::string SignatureName(const std::string& kernel) {
  return absl::StrCat(Camel(kernel), "Signature");
}

std::vector<GeneratedFile> EmitSignatures(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    files.push_back(InfoHeader(family, op));
    files.push_back(InfoSource(family, op));
    if (TakesKernelArgs(op)) files.push_back(KernelArgsHeader(family, op));
    if (!op.gradient.has_value()) continue;
    files.push_back(GradientHeader(family, op));
    files.push_back(GradientSource(family, op));
  }
  return files;
}

std::vector<GeneratedFile> EmitAllSignatures(
    const std::vector<std::string>& names) {
  return {
      {"every_operator.gen.cc",
       Source(AggregateTop(), "phi/core/signatures/every_operator.h", {},
              kNamespace, AllRecords("OpInfo", "info_", "AllOpInfos", names))}};
}

}  // namespace switchyard::ops_gen
