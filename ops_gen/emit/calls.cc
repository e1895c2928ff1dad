// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/calls.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ops_gen/emit/function.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

std::vector<std::string> CallParameters(const Op& op) {
  std::vector<std::string> items = {"Ops& ops"};
  for (const InputDecl& input : op.signature.arguments.inputs) {
    items.push_back(absl::StrCat(input.list ? "const List& " : "const Value& ",
                                 input.name));
  }
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    items.push_back(absl::StrCat(
        attr.supplied ? absl::StrCat("AttrArg<", AttrType(attr.type), ">")
                      : AttrType(attr.type),
        " ", attr.name));
  }
  return items;
}

bool OneResult(const Op& op) {
  return op.signature.outputs.size() == 1 && !op.signature.outputs[0].list();
}

// The length of a list argument, which is known though its elements may not be.
std::string SizeOf(const Op& op, const std::string& argument) {
  const int attr = FindAttr(op.signature.arguments, argument);
  const bool supplied =
      attr >= 0 && op.signature.arguments.attrs[attr].supplied;
  return supplied ? absl::StrCat(argument, ".ref().Get<AttrValues>().size()")
                  : argument + ".size()";
}

// The number of outputs of a call, as an expression.
std::string OutputCount(const Op& op) {
  size_t plain = 0;
  std::vector<std::string> terms;
  for (const OutputDecl& output : op.signature.outputs) {
    if (output.size == OutputDecl::Size::kOne) {
      ++plain;
    } else if (output.size == OutputDecl::Size::kLengthOf) {
      terms.push_back(SizeOf(op, output.size_argument));
    } else {
      terms.push_back(
          absl::StrCat("static_cast<size_t>(", output.size_argument, ")"));
    }
  }
  if (plain > 0 || terms.empty()) terms.push_back(absl::StrCat(plain));
  return absl::StrJoin(terms, " + ");
}

std::string AttrList(const Op& op) {
  std::vector<std::string> items;
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    items.push_back(attr.supplied ? attr.name + ".ref()" : attr.name);
  }
  return absl::StrCat("{", absl::StrJoin(items, ", "), "}");
}

std::string PlainCallBody(const Op& op) {
  std::vector<std::string> inputs;
  for (const std::string& name : InputNames(op)) inputs.push_back("&" + name);
  return Fill(
      "  return ops.Call(",
      {absl::StrCat("info_", op.name),
       absl::StrCat("{", absl::StrJoin(inputs, ", "), "}"), AttrList(op)},
      ");\n", 6);
}

std::string FlatCallBody(const Op& op) {
  return absl::StrCat(Fill("  const auto inputs = ArgBuffer<const Value*>::Of(",
                           InputNames(op), ");\n", 6),
                      Fill("  return ops.CallAll(",
                           {absl::StrCat("info_", op.name), "inputs.view()",
                            AttrList(op), OutputCount(op)},
                           OneResult(op) ? ")[0];\n" : ");\n", 6));
}

GeneratedFile CallHeader(const Family& family, const Op& op) {
  const bool flat = HasLists(op) || !OneResult(op);
  // Declares the OpInfo itself: the operator's header says more, and would have
  // bodies compiled again whenever that changes.
  const std::string body = absl::StrCat(
      "\nextern const OpInfo info_", op.name,
      ";\n\nnamespace composite::op {\n\n",
      Fill(absl::StrCat("inline ",
                        OneResult(op) ? "Value" : "std::vector<Value>", " ",
                        op.name, "("),
           CallParameters(op), ") {\n"),
      flat ? FlatCallBody(op) : PlainCallBody(op),
      "}\n\n}  // namespace composite::op\n");
  std::vector<std::string> includes = {"framework/types/attribute.h",
                                       "phi/composite/ops.h"};
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    if (!attr.supplied) continue;
    includes.insert(includes.begin(), "framework/types/attr_arg.h");
    break;
  }
  if (flat) includes.push_back("phi/core/arg_buffer.h");
  if (!OneResult(op)) includes.push_back("<vector>");
  return {op.name + ".gen.h",
          Header(FileTop(family, op), CallHeaderPath(op.name), includes,
                 "switchyard::phi", body)};
}

}  // namespace

std::string CallHeaderPath(const std::string& op) {
  return absl::StrCat("phi/composite/calls/", op, ".gen.h");
}

std::vector<GeneratedFile> EmitCalls(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) files.push_back(CallHeader(family, op));
  return files;
}

}  // namespace switchyard::ops_gen
