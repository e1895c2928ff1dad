// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/composite.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/function.h"
#include "ops_gen/emit/invoked_arguments.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

std::string CallName(const std::string& op) {
  return absl::StrCat(Camel(op), "Call");
}

std::string CallHeaderPath(const std::string& op) {
  return absl::StrCat("phi/core/signatures/", op, ".call.gen.h");
}

// The operators that the body calls.
std::vector<std::string> Used(const Op& op) {
  if (op.composite.has_value()) return op.composite->uses;
  return {op.invoke->op};
}

std::vector<std::string> MethodParameters(const Op& op) {
  std::vector<std::string> items;
  for (const InputDecl& input : op.signature.arguments.inputs) {
    items.push_back(absl::StrCat(
        "typename Base::", input.list ? "ListParameter" : "Parameter", " ",
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

std::string PlainMethodBody(const Op& op) {
  std::vector<std::string> items = {"kRecord"};
  for (const std::string& name : InputNames(op)) {
    items.push_back(absl::StrCat(items.size() == 1 ? "{" : "", "this->AsInput(",
                                 name, ")"));
  }
  if (items.size() == 1) items.push_back("{");
  items.back() += "}";
  items.push_back(AttrList(op));
  return Fill("    return this->Call(", items, ");\n", 8);
}

std::string FlatMethodBody(const Op& op) {
  return absl::StrCat(
      Fill("    const auto inputs = ArgBuffer<typename Base::Input>::Of(",
           InputNames(op), ");\n", 8),
      Fill("    return this->CallAll(",
           {"kRecord", "inputs.view()", AttrList(op), OutputCount(op)},
           OneResult(op) ? ")[0];\n" : ");\n", 8));
}

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
  return Fill(absl::StrCat("    phi::composite::", op.composite->func, "("),
              items, ");\n", 8);
}

// The operator that `invoke:` names. The parser saw to it that there is one
// output, which every call wants.
std::string InvokedCall(const Op& op) {
  std::vector<std::string> items;
  for (const std::string& argument : InvokedArguments(op)) {
    const int input = FindInput(op.signature.arguments, argument);
    const int attr = FindAttr(op.signature.arguments, argument);
    items.push_back(input >= 0  ? InputGetter(op, input)
                    : attr >= 0 ? AttrGetter(op, attr)
                                : argument);
  }
  return Fill(
      absl::StrCat("    args.outputs.one(0) = ops.", op.invoke->op, "("), items,
      ");\n", 8);
}

}  // namespace

CompositeStyle EagerComposites() {
  CompositeStyle style;
  style.constant = "eager_";
  style.record = "EagerOp";
  style.base = "EagerOpsBase";
  style.base_header = "eager/call/composite_ops.h";
  return style;
}

CompositeStyle DialectComposites() {
  CompositeStyle style;
  style.constant = "dialect_";
  style.record = "DialectOp";
  style.base = "IrOpsBase";
  style.base_header = "static_graph/dialect/composite_ops.h";
  style.builder = "ir::Builder& builder";
  style.ops_args = "(&builder)";
  return style;
}

GeneratedFile CallHeader(const Family& family, const Op& op) {
  const bool flat = HasLists(op) || !OneResult(op);
  const std::string result = OneResult(op)
                                 ? "typename Base::Value"
                                 : "std::vector<typename Base::Value>";
  const std::string body = absl::StrCat(
      "\n// As a method of a composite's operator set: `kRecord` is the "
      "operator's in\n// eager or in the IR, `Base` the rest of the set.\n"
      "template <const auto& kRecord, typename Base>\n",
      "class ", CallName(op.name), " : public Base {\n public:\n",
      "  using Base::Base;\n\n",
      Fill(absl::StrCat("  ", result, " ", op.name, "("), MethodParameters(op),
           ") {\n", 6),
      flat ? FlatMethodBody(op) : PlainMethodBody(op), "  }\n};\n");
  std::vector<std::string> includes = {"framework/types/attribute.h"};
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    if (!attr.supplied) continue;
    includes.insert(includes.begin(), "framework/types/attr_arg.h");
    break;
  }
  if (flat) includes.push_back("phi/core/arg_buffer.h");
  if (!OneResult(op)) includes.push_back("<vector>");
  return {op.name + ".call.gen.h",
          Header(FileTop(family, op), CallHeaderPath(op.name), includes,
                 "switchyard::phi", body)};
}

bool HasBody(const Op& op) {
  return op.composite.has_value() || op.invoke.has_value();
}

std::string CompositeName(const Op& op) {
  return absl::StrCat(Camel(op.name), "Composite");
}

std::string CompositeFunction(const Op& op, const CompositeStyle& style) {
  // Declares the records itself: the headers of the operators say more, and
  // would have this compiled again whenever that changes.
  std::string records;
  std::vector<std::string> set;
  std::string close;
  for (const std::string& used : Used(op)) {
    const std::string record = absl::StrCat(style.constant, used);
    absl::StrAppend(&records, "extern const ", style.record, " ", record,
                    ";\n");
    set.push_back(absl::StrCat("phi::", CallName(used), "<", record));
    close += ">";
  }
  set.push_back(style.base + close);
  std::vector<std::string> parameters = {"const CompositeArgs& args"};
  if (!style.builder.empty()) {
    parameters.insert(parameters.begin(), style.builder);
  }
  return absl::StrCat(
      records, records.empty() ? "" : "\n", "namespace {\n\n",
      Fill(absl::StrCat("absl::Status ", CompositeName(op), "("), parameters,
           ") {\n"),
      Fill("  using Ops = ", set, ";\n", 6), "  Ops ops", style.ops_args,
      ";\n  return ops.Run([&] {\n",
      op.composite.has_value() ? ComposedCall(op) : InvokedCall(op),
      "  });\n}\n\n}  // namespace\n\n");
}

std::vector<std::string> CompositeIncludes(const Op& op,
                                           const CompositeStyle& style) {
  std::vector<std::string> includes = {style.base_header};
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    if (!attr.supplied) continue;
    includes.push_back("framework/types/attr_arg.h");
    break;
  }
  for (const std::string& used : Used(op)) {
    includes.push_back(CallHeaderPath(used));
  }
  if (op.composite.has_value()) {
    includes.push_back(
        absl::StrCat("phi/composite/", op.composite->header, ".h"));
  }
  return includes;
}

}  // namespace switchyard::ops_gen
