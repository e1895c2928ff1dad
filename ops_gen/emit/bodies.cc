// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/bodies.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/calls.h"
#include "ops_gen/emit/composite.h"
#include "ops_gen/emit/invoked_arguments.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kNamespace[] = "switchyard::phi::composite";

std::string InputGetter(const Op& op, size_t i) {
  return absl::Substitute(
      "args.inputs.$0($1)",
      op.signature.arguments.inputs[i].list ? "list" : "one", i);
}

std::string AttrGetter(const Op& op, size_t i) {
  const AttrDecl& attr = op.signature.arguments.attrs[i];
  return attr.supplied
             ? absl::Substitute("AttrArg<$0>(args.attrs[$1], \"$2\")",
                                AttrType(attr.type), i, attr.name)
             : absl::Substitute("args.attr<$0>($1)", AttrType(attr.type), i);
}

// The body of phi/composite, over all arguments and outputs.
std::string ComposedCall(const Op& op) {
  std::vector<std::string> items = {"ops"};
  for (size_t i = 0; i < op.input_facts.size(); ++i) {
    items.push_back(InputGetter(op, i));
  }
  for (size_t i = 0; i < op.signature.arguments.attrs.size(); ++i) {
    items.push_back(AttrGetter(op, i));
  }
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    items.push_back(absl::Substitute(
        "args.outputs.$0($1)",
        op.signature.outputs[i].list() ? "list" : "optional", i));
  }
  return Fill(absl::StrCat("  ", op.composite->func, "("), items, ");\n", 6);
}

// The operator that `invoke:` names. The parser saw to it that there is one
// output, which every call wants.
std::string InvokedCall(const Op& op) {
  std::vector<std::string> items = {"ops"};
  for (const std::string& argument : InvokedArguments(op)) {
    const int input = FindInput(op.signature.arguments, argument);
    const int attr = FindAttr(op.signature.arguments, argument);
    items.push_back(input >= 0  ? InputGetter(op, input)
                    : attr >= 0 ? AttrGetter(op, attr)
                                : argument);
  }
  return Fill(absl::StrCat("  args.outputs.one(0) = op::", op.invoke->op, "("),
              items, ");\n", 6);
}

std::string Declarator(const Op& op, const char* end) {
  return absl::StrCat("void ", BodyName(op), "(Ops& ops, const BodyArgs& args)",
                      end);
}

GeneratedFile BodyHeader(const Family& family, const Op& op) {
  return {op.name + ".gen.h",
          Header(FileTop(family, op), BodyHeaderPath(op.name),
                 {"phi/composite/ops.h"}, kNamespace,
                 absl::StrCat("\n", Declarator(op, ";\n")))};
}

GeneratedFile BodySource(const Family& family, const Op& op) {
  std::vector<std::string> includes;
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    if (!attr.supplied) continue;
    includes.push_back("framework/types/attr_arg.h");
    break;
  }
  includes.push_back(
      op.composite.has_value()
          ? absl::StrCat("phi/composite/", op.composite->header, ".h")
          : CallHeaderPath(op.invoke->op));
  return {
      op.name + ".gen.cc",
      Source(FileTop(family, op), BodyHeaderPath(op.name), includes, kNamespace,
             absl::StrCat(
                 "\n", Declarator(op, " {\n"),
                 op.composite.has_value() ? ComposedCall(op) : InvokedCall(op),
                 "}\n"))};
}

}  // namespace

std::vector<GeneratedFile> EmitBodies(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    if (!HasBody(op)) continue;
    files.push_back(BodyHeader(family, op));
    files.push_back(BodySource(family, op));
  }
  return files;
}

}  // namespace switchyard::ops_gen
