// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/function.h"

#include "absl/strings/str_cat.h"
#include "ops_gen/emit/text.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

// True if a call may end before input number `i`: it and all after it are
// optional or have defaults.
bool MayBeLeftOut(const Op& op, size_t i) {
  for (; i < op.input_facts.size(); ++i) {
    if (!op.input_facts[i].optional) return false;
  }
  const std::vector<AttrDecl>& attrs = op.signature.arguments.attrs;
  return attrs.empty() || attrs.front().default_value.has_value();
}

bool IsWritten(const Op& op, int input) {
  for (const OutputFacts& facts : op.output_facts) {
    if (facts.inplace_of == input) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> Parameters(const Op& op, const FunctionStyle& style) {
  const Arguments& arguments = op.signature.arguments;
  std::vector<std::string> items;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    const InputDecl& input = arguments.inputs[i];
    const bool optional = op.input_facts[i].optional;
    // An optional tensor is written through the handle that it holds.
    const bool written = style.writes && !input.list && !optional &&
                         IsWritten(op, static_cast<int>(i));
    const std::string type = written
                                 ? style.tensor + "&"
                                 : ApiInputType(style.tensor, input, optional);
    const bool has_default = style.defaults && optional && MayBeLeftOut(op, i);
    items.push_back(absl::StrCat(type, " ", input.name,
                                 has_default ? " = std::nullopt" : ""));
  }
  for (const AttrDecl& attr : arguments.attrs) {
    items.push_back(absl::StrCat(AttrType(attr.type), " ", attr.name));
    if (style.defaults && attr.default_value.has_value()) {
      absl::StrAppend(&items.back(), " = ",
                      CppDefault(attr.type, *attr.default_value));
    }
  }
  return items;
}

std::vector<size_t> Returned(const Op& op, const FunctionStyle& style) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < op.output_facts.size(); ++i) {
    if (style.intermediate || !op.output_facts[i].intermediate) {
      positions.push_back(i);
    }
  }
  return positions;
}

std::string ResultType(const Op& op, const FunctionStyle& style) {
  const std::vector<size_t> returned = Returned(op, style);
  if (returned.size() == 1) {
    return ApiOutputType(style.tensor, op.signature.outputs[returned[0]]);
  }
  return absl::StrCat(Camel(op.name), "Result");
}

std::string ResultStruct(const Op& op, const FunctionStyle& style) {
  const std::vector<size_t> returned = Returned(op, style);
  if (returned.size() == 1) return "";
  std::string text = absl::StrCat("struct ", ResultType(op, style), " {\n");
  for (const size_t i : returned) {
    const OutputDecl& output = op.signature.outputs[i];
    absl::StrAppend(&text, "  ", ApiOutputType(style.tensor, output), " ",
                    output.name, ";\n");
  }
  return text + "};\n";
}

bool HasLists(const Op& op) {
  for (const InputDecl& input : op.signature.arguments.inputs) {
    if (input.list) return true;
  }
  for (const OutputDecl& output : op.signature.outputs) {
    if (output.list()) return true;
  }
  return false;
}

std::vector<std::string> InputPointers(const Op& op) {
  std::vector<std::string> items;
  for (size_t i = 0; i < op.input_facts.size(); ++i) {
    const std::string& name = op.signature.arguments.inputs[i].name;
    items.push_back(
        op.input_facts[i].optional
            ? absl::StrCat(name, ".has_value() ? &*", name, " : nullptr")
            : absl::StrCat("&", name));
  }
  return items;
}

std::vector<std::string> InputNames(const Op& op) {
  std::vector<std::string> names;
  for (const InputDecl& input : op.signature.arguments.inputs) {
    names.push_back(input.name);
  }
  return names;
}

std::vector<std::string> AttrNames(const Op& op) {
  std::vector<std::string> names;
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    names.push_back(attr.name);
  }
  return names;
}

std::string AttrArray(const Op& op) {
  const std::vector<std::string> names = AttrNames(op);
  if (names.empty()) return "";
  return Fill("  const AttrRef attrs[] = {", names, "};\n", 6);
}

std::string AttrArrayName(const Op& op) {
  return op.signature.arguments.attrs.empty() ? "{}" : "attrs";
}

}  // namespace switchyard::ops_gen
