// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/kernel_args.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

// A legacy kernel's key is "fluid/<backend>"; it takes slots by name.
bool HasFunctionalKernel(const KernelFunction& function) {
  return std::any_of(
      function.coverage.begin(), function.coverage.end(),
      [](const auto& row) { return !absl::StrContains(row.first, "/"); });
}

std::string ArgsStruct(const Op& op, const KernelFunction& function) {
  std::string fields;
  std::vector<std::string> types, names;
  for (const KernelParameter& field : KernelParameters(op, function)) {
    absl::StrAppend(&fields, "  ", field.type, " ", field.name, ";\n");
    types.push_back(field.type);
    names.push_back(field.name);
  }
  return absl::StrCat(
      "\n",
      Comment(absl::Substitute("The arguments of kernel `$0`, by the names "
                               "that the entry gives them.",
                               function.name)),
      "struct ", KernelArgsName(function.name), " {\n", fields, "\n",
      Fill("  using Types = KernelArgTypes<", types, ">;\n", 6),
      "  // Returns what `f` makes of all arguments, in the entry's order.\n"
      "  template <typename F>\n"
      "  auto Apply(F f) const {\n",
      Fill("    return f(", names, ");\n", 8), "  }\n};\n");
}

}  // namespace

std::vector<KernelParameter> KernelParameters(const Op& op,
                                              const KernelFunction& function) {
  const Arguments& arguments = op.signature.arguments;
  std::vector<KernelParameter> parameters;
  for (const std::string& param : op.kernel->params) {
    const int i = FindInput(arguments, param);
    const std::string type =
        i < 0 ? AttrType(arguments.attrs[FindAttr(arguments, param)].type)
              : InputType(Layer::kKernel, arguments.inputs[i],
                          op.input_facts[i].optional, function.input_kinds[i]);
    parameters.push_back({type, param});
  }
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    const OutputDecl& output = op.signature.outputs[i];
    // An input and an output may share a name; parameters may not.
    const bool clash = FindInput(arguments, output.name) >= 0 ||
                       FindAttr(arguments, output.name) >= 0;
    parameters.push_back(
        {OutputType(Layer::kKernel, output, function.output_kinds[i]),
         absl::StrCat(output.name, clash ? "_out" : "")});
  }
  return parameters;
}

bool TakesKernelArgs(const Op& op) {
  if (!op.kernel.has_value()) return false;
  const std::vector<KernelFunction>& functions = op.kernel->functions;
  return op.functor.empty() &&
         op.kernel->params.size() + op.signature.outputs.size() >
             kMaxKernelParameters &&
         std::any_of(functions.begin(), functions.end(), HasFunctionalKernel);
}

std::string KernelArgsName(const std::string& kernel) {
  return absl::StrCat(Camel(kernel), "Args");
}

GeneratedFile KernelArgsHeader(const Family& family, const Op& op) {
  std::string body;
  for (const KernelFunction& function : op.kernel->functions) {
    if (HasFunctionalKernel(function)) body += ArgsStruct(op, function);
  }
  const std::string name = absl::StrCat(op.name, ".args.gen.h");
  return {name, Header(FileTop(family, op),
                       absl::StrCat("phi/core/signatures/", name),
                       {"phi/core/kernel_args.h"}, "switchyard::phi", body)};
}

}  // namespace switchyard::ops_gen
