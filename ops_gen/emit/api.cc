// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/api.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/doc_text.h"
#include "ops_gen/emit/function.h"
#include "ops_gen/emit/invoked_arguments.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kNamespace[] = "switchyard::phi::api";

FunctionStyle Style(const Op& op, bool defaults) {
  FunctionStyle style;
  style.tensor = "DenseTensor";
  style.defaults = defaults;
  style.writes = op.always_inplace();
  return style;
}

std::string HeaderPath(const std::string& op) {
  return absl::StrCat("phi/api/", op, ".gen.h");
}

std::string ReturnType(const Op& op) {
  return absl::StrCat("absl::StatusOr<", ResultType(op, Style(op, false)), ">");
}

// The optional input that output number i is written over; "" if it is written
// over none, or always.
std::string OptionalSource(const Op& op, size_t i) {
  const int input = op.output_facts[i].inplace_of;
  if (!op.always_inplace() || input < 0 || !op.input_facts[input].optional) {
    return "";
  }
  return op.signature.arguments.inputs[input].name;
}

// Returns the outputs of an in-place operator as they are before the call: the
// inputs.
std::string InitialResult(const Op& op) {
  if (!op.always_inplace()) return "";
  std::vector<std::string> items;
  for (size_t i = 0; i < op.output_facts.size(); ++i) {
    const int input = op.output_facts[i].inplace_of;
    const std::string source = OptionalSource(op, i);
    items.push_back(input < 0 ? "{}"
                    : source.empty()
                        ? op.signature.arguments.inputs[input].name
                        : absl::StrCat(source, ".value_or(DenseTensor())"));
  }
  if (items.size() == 1) return absl::StrCat(" = ", items[0]);
  return absl::StrCat(" = {", absl::StrJoin(items, ", "), "}");
}

std::string PlainBody(const Op& op) {
  const std::vector<std::string> inputs = InputPointers(op);
  std::vector<std::string> outputs;
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    const std::string source = OptionalSource(op, i);
    const std::string place =
        op.signature.outputs.size() == 1
            ? "&result"
            : absl::StrCat("&result.", op.signature.outputs[i].name);
    outputs.push_back(source.empty() ? place
                                     : absl::StrCat(source, ".has_value() ? ",
                                                    place, " : nullptr"));
  }
  return absl::StrCat(
      inputs.empty()
          ? ""
          : Fill("  const TensorBase* const inputs[] = {", inputs, "};\n", 6),
      AttrArray(op), "  ", ResultType(op, Style(op, false)), " result",
      InitialResult(op), ";\n",
      Fill("  TensorBase* const outputs[] = {", outputs, "};\n", 6),
      Fill("  dispatch::Call call(",
           {absl::StrCat("info_", op.name),
            absl::StrCat("{", inputs.empty() ? "{}" : "inputs", ", ",
                         AttrArrayName(op), ", outputs}")},
           ");\n", 6),
      Fill("  SY_RETURN_IF_ERROR(call.Run(",
           {absl::StrCat("kernels_", op.name, ".Get()")}, "));\n", 6),
      "  return result;\n");
}

// Lists are laid flat by hand-written code.
std::string ListBody(const Op& op) {
  std::vector<std::string> items;
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    items.push_back(
        absl::Substitute("results.$0($1)",
                         op.signature.outputs[i].list() ? "vector" : "one", i));
  }
  return absl::StrCat(
      Fill("  const auto inputs = ArgBuffer<const TensorBase*>::Of(",
           InputNames(op), ");\n", 6),
      AttrArray(op),
      Fill("  SY_ASSIGN_OR_RETURN(const ArgBuffer<DenseTensor> results,\n"
           "                      FlatCall(",
           {absl::StrCat("info_", op.name), absl::StrCat("kernels_", op.name),
            "inputs", AttrArrayName(op)},
           "));\n", 10),
      items.size() == 1
          ? absl::StrCat("  return ", items[0], ";\n")
          : Fill(absl::StrCat("  return ", ResultType(op, Style(op, false)),
                              "{"),
                 items, "};\n", 6));
}

std::string FunctionBody(const Op& op) {
  if (op.kernel.has_value()) return HasLists(op) ? ListBody(op) : PlainBody(op);
  return Fill(absl::StrCat("  return ", op.invoke->op, "("),
              InvokedArguments(op), ");\n", 6);
}

GeneratedFile ApiHeader(const Family& family, const Op& op) {
  std::vector<std::string> includes = {"<optional>",
                                       "<string_view>",
                                       "<vector>",
                                       "framework/base/status.h",
                                       "framework/tensor/dense_tensor.h",
                                       "framework/types/attribute.h"};
  if (op.kernel.has_value()) {
    includes.push_back("phi/core/kernel_table.h");
    includes.push_back(absl::StrCat("phi/core/signatures/", op.name, ".gen.h"));
    includes.push_back(HasLists(op) ? "phi/api/flat_call.h"
                                    : "phi/dispatch/call.h");
  } else {
    includes.push_back(HeaderPath(op.invoke->op));
  }
  std::string body = "\n";
  const std::string result = ResultStruct(op, Style(op, true));
  if (!result.empty()) absl::StrAppend(&body, result, "\n");
  absl::StrAppend(
      &body, FunctionComment(op, ErrorStyle::kReturnsStatus),
      Fill(absl::StrCat("inline ", ReturnType(op), " ", op.name, "("),
           Parameters(op, Style(op, true)), ") {\n"),
      FunctionBody(op), "}\n");
  std::string text = Header(FileTop(family, op), HeaderPath(op.name), includes,
                            kNamespace, body);
  if (op.kernel.has_value()) DeclareSlot(op.name, kNamespace, &text);
  return {op.name + ".gen.h", text};
}

}  // namespace

std::vector<GeneratedFile> EmitApi(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    if (!op.kernel.has_value() && !op.invoke.has_value()) continue;
    files.push_back(ApiHeader(family, op));
  }
  return files;
}

}  // namespace switchyard::ops_gen
