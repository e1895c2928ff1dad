// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/kernel_parser.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "ops_gen/parser/dtypes_parser.h"
#include "ops_gen/parser/names.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"
#include "ops_gen/schema/backends.h"
#include "ops_gen/schema/keys.h"

namespace switchyard::ops_gen {
namespace {

constexpr std::string_view kTensorKinds[] = {"dense",        "selected_rows",
                                             "sparse_coo",   "sparse_csr",
                                             "tensor_array", "strings"};

std::vector<std::string_view> ArgumentNames(const Arguments& arguments) {
  std::vector<std::string_view> names = InputNames(arguments);
  const std::vector<std::string_view> attrs = AttrNames(arguments);
  names.insert(names.end(), attrs.begin(), attrs.end());
  return names;
}

// `param:`, or all arguments in their order.
absl::StatusOr<std::vector<std::string>> ParseParams(const YamlFields& parts,
                                                     const Op& op) {
  const Arguments& arguments = op.signature.arguments;
  std::vector<std::string> params;
  const YamlNode* node = parts.Find("param");
  if (node == nullptr) {
    for (const InputDecl& input : arguments.inputs) {
      params.push_back(input.name);
    }
    for (const AttrDecl& attr : arguments.attrs) params.push_back(attr.name);
    return params;
  }
  SY_ASSIGN_OR_RETURN(params, ReadTexts(*node));
  for (const std::string& param : params) {
    if (FindInput(arguments, param) < 0 && FindAttr(arguments, param) < 0) {
      return node->Error("names of args",
                         Guessed(param, ArgumentNames(arguments)));
    }
  }
  return params;
}

// "softmax/cross_entropy"; "softmax" is short for "softmax/softmax", and the
// family's name stands for what is not written.
absl::StatusOr<HeaderName> ParseHeader(const YamlNode* node,
                                       const std::string& family) {
  if (node == nullptr) return HeaderName{family, family};
  SY_ASSIGN_OR_RETURN(const std::string text, node->Text());
  const std::vector<std::string> parts = absl::StrSplit(text, '/');
  if (parts.size() > 2 || parts.back().empty()) {
    return node->Error("a folder and a file, or one name for both",
                       Quoted(text));
  }
  for (const std::string& part : parts) {
    SY_RETURN_IF_ERROR(node->Wrap(CheckName(part)));
  }
  return HeaderName{parts.front(), parts.back()};
}

absl::StatusOr<std::vector<std::string>> ScanKinds(size_t count,
                                                   std::string_view end,
                                                   Scanner& scanner) {
  std::vector<std::string> kinds;
  do {
    SY_ASSIGN_OR_RETURN(std::string kind, scanner.Name("a tensor kind"));
    if (std::find(std::begin(kTensorKinds), std::end(kTensorKinds), kind) ==
        std::end(kTensorKinds)) {
      return Unexpected(
          "dense, selected_rows, sparse_coo, sparse_csr, tensor_array or "
          "strings",
          Guessed(kind, kTensorKinds));
    }
    kinds.push_back(std::move(kind));
  } while (scanner.Take(", "));
  SY_RETURN_IF_ERROR(scanner.Expect(end));
  if (kinds.size() != count) {
    return Unexpected(absl::StrCat(count, " tensor kinds"),
                      absl::StrCat(kinds.size()));
  }
  return kinds;
}

// A list is handed to a kernel as dense tensors.
absl::Status CheckListKinds(const KernelFunction& function,
                            const Signature& signature) {
  const auto check = [&function](const std::string& name, bool list,
                                 const std::string& kind) {
    if (!list || kind == "dense") return absl::OkStatus();
    return Unexpected(absl::StrCat("dense for the list ", Quoted(name), " of ",
                                   Quoted(function.name)),
                      Quoted(kind));
  };
  const std::vector<InputDecl>& inputs = signature.arguments.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    SY_RETURN_IF_ERROR(
        check(inputs[i].name, inputs[i].list, function.input_kinds[i]));
  }
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const OutputDecl& output = signature.outputs[i];
    SY_RETURN_IF_ERROR(
        check(output.name, output.list(), function.output_kinds[i]));
  }
  return absl::OkStatus();
}

// "softmax", or "sgd {dense -> dense}, sgd_selected_rows {...}".
absl::StatusOr<std::vector<KernelFunction>> ParseFunctions(
    const std::string& text, const Op& op) {
  const size_t inputs = op.signature.arguments.inputs.size();
  const size_t outputs = op.signature.outputs.size();
  std::vector<KernelFunction> functions;
  Scanner scanner(text);
  do {
    KernelFunction function;
    SY_ASSIGN_OR_RETURN(function.name, scanner.Name("a kernel's name"));
    SY_RETURN_IF_ERROR(CheckName(function.name));
    if (scanner.Take(" {")) {
      if (inputs == 0) {
        SY_RETURN_IF_ERROR(scanner.Expect("-> "));
      } else {
        SY_ASSIGN_OR_RETURN(function.input_kinds,
                            ScanKinds(inputs, " -> ", scanner));
      }
      SY_ASSIGN_OR_RETURN(function.output_kinds,
                          ScanKinds(outputs, "}", scanner));
    } else {
      function.input_kinds.assign(inputs, "dense");
      function.output_kinds.assign(outputs, "dense");
    }
    SY_RETURN_IF_ERROR(CheckListKinds(function, op.signature));
    for (const KernelFunction& other : functions) {
      if (other.name == function.name) {
        return Unexpected("each kernel once",
                          absl::StrCat(Quoted(function.name), " again"));
      }
    }
    functions.push_back(std::move(function));
  } while (scanner.Take(", "));
  SY_RETURN_IF_ERROR(scanner.End());
  return functions;
}

// "x", "dtype", "dtype > x", "float32".
absl::StatusOr<DtypeSource> ParseDtypeSource(const std::string& text,
                                             const Arguments& arguments) {
  DtypeSource source;
  Scanner scanner(text);
  do {
    SY_ASSIGN_OR_RETURN(const std::string word, scanner.Name("a name"));
    const int input = FindInput(arguments, word);
    const int attr = FindAttr(arguments, word);
    if (attr >= 0 && source.attr < 0 && source.input < 0 &&
        arguments.attrs[attr].type == ValueType::kDataType) {
      source.attr = attr;
    } else if (input >= 0 && source.input < 0) {
      source.input = input;
    } else if (ParseDataType(word).has_value() && scanner.done()) {
      source.literal = word;
    } else {
      return Unexpected(
          "a DataType attribute, then a tensor of args, then a dtype",
          Guessed(word, ArgumentNames(arguments)));
    }
  } while (scanner.Take(" > "));
  SY_RETURN_IF_ERROR(scanner.End());
  return source;
}

absl::Status CheckBackendKey(const YamlNode& node, const std::string& key) {
  const absl::string_view backend = absl::StripPrefix(key, "fluid/");
  const bool good =
      IsGeneratedBackend(std::string_view(backend.data(), backend.size()));
  if (good && key != "fluid/reference") return absl::OkStatus();
  std::vector<std::string_view> names;
  for (const GeneratedBackend* known : kGeneratedBackends) {
    names.push_back(known->name);
  }
  return node.Error(
      "a backend (reference, cpu, onednn, gpu, gpudnn) or fluid/<backend>",
      Guessed(key, names));
}

// Block style, so that changes of one line are about one set of dtypes.
absl::Status CheckBlockStyle(const YamlNode& node) {
  if (!node.is_flow()) return absl::OkStatus();
  return node.Error("one line for each set of dtypes", "a map in braces");
}

// "reference, cpu: floating": a line for each set of dtypes.
absl::StatusOr<Coverage> ParseCoverage(const YamlNode& node) {
  SY_RETURN_IF_ERROR(CheckBlockStyle(node));
  SY_ASSIGN_OR_RETURN(const YamlFields fields, node.Fields());
  Coverage coverage;
  for (const auto& [key, value] : fields.all()) {
    SY_ASSIGN_OR_RETURN(const std::vector<std::string> dtypes,
                        ParseDtypes(value));
    const std::vector<std::string> backends = absl::StrSplit(key, ", ");
    for (const std::string& backend : backends) {
      SY_RETURN_IF_ERROR(CheckBackendKey(value, backend));
      if (!coverage.emplace(backend, dtypes).second) {
        return value.Error("each backend once",
                           absl::StrCat(Quoted(backend), " again"));
      }
    }
  }
  return coverage;
}

// `kernels:`: backends at once for one function, below its name for several.
absl::Status ParseKernels(const YamlNode& node, KernelCall& kernel) {
  if (kernel.functions.size() == 1) {
    SY_ASSIGN_OR_RETURN(kernel.functions[0].coverage, ParseCoverage(node));
    return absl::OkStatus();
  }
  SY_RETURN_IF_ERROR(CheckBlockStyle(node));
  std::vector<std::string_view> names;
  for (const KernelFunction& function : kernel.functions) {
    names.push_back(function.name);
  }
  SY_ASSIGN_OR_RETURN(const YamlFields fields, node.Fields(names));
  for (KernelFunction& function : kernel.functions) {
    SY_ASSIGN_OR_RETURN(const YamlNode part, fields.Require(function.name));
    SY_ASSIGN_OR_RETURN(function.coverage, ParseCoverage(part));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseInferMeta(const YamlFields& fields, const std::string& family,
                            Op& op) {
  const YamlNode* node = fields.Find("infer_meta");
  if (node == nullptr) return absl::OkStatus();
  InferMetaCall call;
  call.gradient = node->is_scalar() && *node->Text() == "gradient";
  if (call.gradient) {
    op.infer_meta = std::move(call);
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const YamlFields parts,
                      node->Fields(EntryKeys("infer_meta")));
  SY_ASSIGN_OR_RETURN(const YamlNode func, parts.Require("func"));
  SY_ASSIGN_OR_RETURN(call.func, FunctionName(func));
  SY_ASSIGN_OR_RETURN(call.header, ParseHeader(parts.Find("header"), family));
  SY_ASSIGN_OR_RETURN(call.params, ParseParams(parts, op));
  op.infer_meta = std::move(call);
  return absl::OkStatus();
}

absl::Status ParseKernel(const YamlFields& fields, const std::string& family,
                         Op& op) {
  const YamlNode* node = fields.Find("kernel");
  const YamlNode* coverage = fields.Find("kernels");
  if (node == nullptr) {
    if (coverage == nullptr) return absl::OkStatus();
    return coverage->Error("the key 'kernel' beside 'kernels'", "none");
  }
  SY_ASSIGN_OR_RETURN(const YamlFields parts,
                      node->Fields(EntryKeys("kernel")));
  KernelCall kernel;
  SY_ASSIGN_OR_RETURN(const YamlNode func, parts.Require("func"));
  SY_ASSIGN_OR_RETURN(const std::string func_text, func.Text());
  absl::StatusOr<std::vector<KernelFunction>> functions =
      ParseFunctions(func_text, op);
  SY_RETURN_IF_ERROR(func.Wrap(functions.status()));
  kernel.functions = *std::move(functions);
  SY_ASSIGN_OR_RETURN(kernel.params, ParseParams(parts, op));
  SY_ASSIGN_OR_RETURN(kernel.header, ParseHeader(parts.Find("header"), family));
  // Functors have no folders, and their kernels share one.
  if (!op.functor.empty()) kernel.header.folder = "elementwise";
  if (const YamlNode* header = parts.Find("kinds_header")) {
    SY_ASSIGN_OR_RETURN(kernel.kinds_header, ParseHeader(header, family));
  }

  if (const YamlNode* data_type = parts.Find("data_type")) {
    SY_ASSIGN_OR_RETURN(const std::string text, data_type->Text());
    absl::StatusOr<DtypeSource> source =
        ParseDtypeSource(text, op.signature.arguments);
    SY_RETURN_IF_ERROR(data_type->Wrap(source.status()));
    op.dtype = *std::move(source);
  } else if (!op.signature.arguments.inputs.empty()) {
    op.dtype.input = 0;
  } else {
    return node->Error("the key 'data_type' where there is no tensor", "none");
  }
  SY_ASSIGN_OR_RETURN(const YamlNode rows, fields.Require("kernels"));
  SY_RETURN_IF_ERROR(ParseKernels(rows, kernel));
  op.kernel = std::move(kernel);
  return absl::OkStatus();
}

}  // namespace switchyard::ops_gen
