// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/signature_parser.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/base/status.h"
#include "ops_gen/parser/literal_parser.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

absl::Status CheckNew(const Arguments& arguments, const std::string& name) {
  if (FindInput(arguments, name) < 0 && FindAttr(arguments, name) < 0) {
    return absl::OkStatus();
  }
  return Unexpected("different argument names",
                    absl::StrCat("'", name, "' twice"));
}

absl::Status ScanInput(bool list, Scanner& scanner, Arguments& arguments) {
  SY_ASSIGN_OR_RETURN(std::string name, scanner.Name("an argument's name"));
  SY_RETURN_IF_ERROR(CheckNew(arguments, name));
  if (!arguments.attrs.empty()) {
    return Unexpected(
        "tensors before attributes",
        absl::StrCat("'", name, "' after '", arguments.attrs.back().name, "'"));
  }
  arguments.inputs.push_back({std::move(name), list});
  return absl::OkStatus();
}

absl::Status ScanAttr(Scanner& scanner, Arguments& arguments) {
  const std::string word(scanner.Until(" "));
  const std::optional<ValueType> type = ParseValueType(word);
  if (!type.has_value()) {
    std::vector<std::string_view> names = ValueTypeNames();
    names.insert(names.end(), {"Tensor", "Tensor[]"});
    return Unexpected("Tensor, Tensor[] or an attribute type",
                      Guessed(word, names));
  }
  SY_RETURN_IF_ERROR(scanner.Expect(" "));
  SY_ASSIGN_OR_RETURN(std::string name, scanner.Name("an argument's name"));
  SY_RETURN_IF_ERROR(CheckNew(arguments, name));
  AttrDecl attr{std::move(name), *type, std::nullopt};
  if (scanner.Take(" = ")) {
    absl::StatusOr<Literal> literal = ScanLiteral(*type, ",)", scanner);
    if (!literal.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "default of '", attr.name, "': ", literal.status().message()));
    }
    attr.default_value = *std::move(literal);
  } else if (!arguments.attrs.empty() &&
             arguments.attrs.back().default_value.has_value()) {
    return Unexpected(
        absl::StrCat("a default for '", attr.name, "' as '",
                     arguments.attrs.back().name, "' before it has one"),
        "none");
  }
  arguments.attrs.push_back(std::move(attr));
  return absl::OkStatus();
}

absl::StatusOr<Arguments> ScanArguments(Scanner& scanner) {
  Arguments arguments;
  SY_RETURN_IF_ERROR(scanner.Expect("("));
  if (scanner.Take(")")) return arguments;
  do {
    if (scanner.Take("Tensor[] ")) {
      SY_RETURN_IF_ERROR(ScanInput(true, scanner, arguments));
    } else if (scanner.Take("Tensor ")) {
      SY_RETURN_IF_ERROR(ScanInput(false, scanner, arguments));
    } else {
      SY_RETURN_IF_ERROR(ScanAttr(scanner, arguments));
    }
  } while (scanner.Take(", "));
  if (!scanner.Take(")")) return scanner.Error("', ' or ')'");
  return arguments;
}

// The size after "Tensor[](out)": "{len(sections)}" or "{num}".
absl::Status ScanSize(const Arguments& arguments, Scanner& scanner,
                      OutputDecl& output) {
  SY_RETURN_IF_ERROR(scanner.Expect("{"));
  output.size = scanner.Take("len(") ? OutputDecl::Size::kLengthOf
                                     : OutputDecl::Size::kValueOf;
  SY_ASSIGN_OR_RETURN(output.size_argument, scanner.Name("an argument's name"));
  const std::string& name = output.size_argument;
  const int input = FindInput(arguments, name);
  const int attr = FindAttr(arguments, name);
  if (output.size == OutputDecl::Size::kLengthOf) {
    SY_RETURN_IF_ERROR(scanner.Expect(")"));
    const bool list = (input >= 0 && arguments.inputs[input].list) ||
                      (attr >= 0 && IsList(arguments.attrs[attr].type));
    if (!list) {
      return Unexpected("a list argument in len()", Quoted(name));
    }
  } else if (attr < 0 || (arguments.attrs[attr].type != ValueType::kInt &&
                          arguments.attrs[attr].type != ValueType::kInt64)) {
    return Unexpected("an int or int64_t argument as size", Quoted(name));
  }
  return scanner.Expect("}");
}

absl::StatusOr<std::vector<OutputDecl>> ScanOutputs(const Arguments& arguments,
                                                    Scanner& scanner) {
  std::vector<OutputDecl> outputs;
  do {
    const bool list = scanner.Take("Tensor[](");
    if (!list && !scanner.Take("Tensor(")) {
      return scanner.Error("'Tensor(' or 'Tensor[]('");
    }
    OutputDecl output;
    SY_ASSIGN_OR_RETURN(output.name, scanner.Name("an output's name"));
    if (FindOutput(outputs, output.name) >= 0) {
      return Unexpected("different output names",
                        absl::StrCat("'", output.name, "' twice"));
    }
    SY_RETURN_IF_ERROR(scanner.Expect(")"));
    if (list) SY_RETURN_IF_ERROR(ScanSize(arguments, scanner, output));
    outputs.push_back(std::move(output));
  } while (scanner.Take(", "));
  return outputs;
}

}  // namespace

absl::StatusOr<Arguments> ParseArguments(std::string_view text) {
  Scanner scanner(text);
  SY_ASSIGN_OR_RETURN(Arguments arguments, ScanArguments(scanner));
  SY_RETURN_IF_ERROR(scanner.End());
  return arguments;
}

std::string PrintArguments(const Arguments& arguments) {
  std::vector<std::string> items;
  for (const InputDecl& input : arguments.inputs) {
    items.push_back(
        absl::StrCat(input.list ? "Tensor[] " : "Tensor ", input.name));
  }
  for (const AttrDecl& attr : arguments.attrs) {
    items.push_back(absl::StrCat(Absl(Name(attr.type)), " ", attr.name));
    if (attr.default_value.has_value()) {
      absl::StrAppend(&items.back(), " = ", PrintLiteral(*attr.default_value));
    }
  }
  return absl::StrCat("(", absl::StrJoin(items, ", "), ")");
}

absl::StatusOr<std::vector<OutputDecl>> ParseOutputs(std::string_view text,
                                                     const Arguments& args) {
  Scanner scanner(text);
  SY_ASSIGN_OR_RETURN(std::vector<OutputDecl> outputs,
                      ScanOutputs(args, scanner));
  SY_RETURN_IF_ERROR(scanner.End());
  return outputs;
}

std::string PrintOutputs(const std::vector<OutputDecl>& outputs) {
  std::vector<std::string> items;
  for (const OutputDecl& output : outputs) {
    switch (output.size) {
      case OutputDecl::Size::kOne:
        items.push_back(absl::StrCat("Tensor(", output.name, ")"));
        break;
      case OutputDecl::Size::kLengthOf:
        items.push_back(absl::StrCat("Tensor[](", output.name, "){len(",
                                     output.size_argument, ")}"));
        break;
      case OutputDecl::Size::kValueOf:
        items.push_back(absl::StrCat("Tensor[](", output.name, "){",
                                     output.size_argument, "}"));
        break;
    }
  }
  return absl::StrJoin(items, ", ");
}

std::string PrintNamedSignature(const std::string& name,
                                const Signature& signature) {
  return absl::StrCat(name, " ", PrintArguments(signature.arguments), " -> ",
                      PrintOutputs(signature.outputs));
}

}  // namespace switchyard::ops_gen
