// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/dialect.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/composite.h"
#include "ops_gen/emit/function.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kNamespace[] = "switchyard::static_graph";

std::string HeaderPath(const std::string& op) {
  return absl::StrCat("static_graph/dialect/", op, ".gen.h");
}

std::string ClassName(const Op& op) { return Camel(op.name) + "Op"; }

// "ir::Builder& builder", "ir::Value x", "int axis = -1", ...
std::vector<std::string> BuildParameters(const Op& op, bool defaults) {
  std::vector<std::string> items = {"ir::Builder& builder"};
  for (const InputDecl& input : op.signature.arguments.inputs) {
    items.push_back(
        absl::StrCat(input.list ? "absl::Span<const ir::Value> " : "ir::Value ",
                     input.name));
  }
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    items.push_back(absl::StrCat(AttrType(attr.type), " ", attr.name));
    if (defaults && attr.default_value.has_value()) {
      absl::StrAppend(&items.back(), " = ",
                      CppDefault(attr.type, *attr.default_value));
    }
  }
  return items;
}

std::string TensorAccessor(const std::string& name, bool list,
                           const char* getter, size_t i) {
  return absl::Substitute("  $0 $1() const { return $2$3($4); }\n",
                          list ? "absl::Span<const ir::Value>" : "ir::Value",
                          name, getter, list ? "ListAt" : "At", i);
}

std::string Accessors(const Op& op) {
  const Arguments& arguments = op.signature.arguments;
  std::string text;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    text += TensorAccessor(arguments.inputs[i].name, arguments.inputs[i].list,
                           "Input", i);
  }
  for (size_t i = 0; i < arguments.attrs.size(); ++i) {
    const std::string type = AttrType(arguments.attrs[i].type);
    const std::string& name = arguments.attrs[i].name;
    const std::string line = absl::Substitute(
        "  $0 $1() const { return AttrAt<$0>($2); }\n", type, name, i);
    text += line.size() <= 81
                ? line
                : absl::Substitute(
                      "  $0 $1() const {\n    return AttrAt<$0>($2);\n  }\n",
                      type, name, i);
  }
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    const OutputDecl& output = op.signature.outputs[i];
    const bool clash = FindInput(arguments, output.name) >= 0 ||
                       FindAttr(arguments, output.name) >= 0;
    text += TensorAccessor(output.name + (clash ? "_out" : ""), output.list(),
                           "Output", i);
  }
  return text;
}

std::string Class(const Op& op) {
  const Arguments& arguments = op.signature.arguments;
  return absl::StrCat(
      "class ", ClassName(op), " : public OpViewOf<", ClassName(op),
      "> {\n public:\n",
      Fill("  static constexpr ViewedOp kOp = {",
           {absl::StrCat("\"", op.name, "\""),
            absl::StrCat(arguments.inputs.size()),
            absl::StrCat(arguments.attrs.size()),
            absl::StrCat(op.signature.outputs.size())},
           "};\n\n", 6),
      "  // Creates the operation: promotes, checks and infers types. NotFound "
      "if the\n"
      "  // builder's context does not have the operator.\n",
      Fill(absl::StrCat("  static absl::StatusOr<", ClassName(op), "> Build("),
           BuildParameters(op, true), ");\n\n", 6),
      Accessors(op), "\n private:\n", "  using OpViewOf::OpViewOf;\n};\n");
}

std::string BuildFunction(const Op& op) {
  return absl::StrCat(
      "\n",
      Fill(absl::StrCat("inline absl::StatusOr<", ClassName(op), "> ",
                        ClassName(op), "::Build("),
           BuildParameters(op, false), ") {\n"),
      Fill("  const auto inputs = phi::ArgBuffer<ir::Value>::Of(",
           InputNames(op), ");\n", 6),
      AttrArray(op),
      Fill("  return As(BuildCall(",
           {"builder", "kOp", "inputs", AttrArrayName(op)}, "));\n", 6),
      "}\n");
}

GeneratedFile DialectHeader(const Family& family, const Op& op) {
  return {op.name + ".gen.h",
          Header(FileTop(family, op), HeaderPath(op.name),
                 {"<string_view>", "phi/core/arg_buffer.h",
                  "static_graph/dialect/dialect_op.h",
                  "static_graph/dialect/op_view.h"},
                 kNamespace,
                 absl::StrCat("\nextern const DialectOp dialect_", op.name,
                              ";\n\n", Class(op), BuildFunction(op)))};
}

// A line for the member `traits`, where the entry has some.
std::string TraitsLine(const Op& op) {
  std::vector<std::string> bits;
  for (const std::string& trait : op.traits) {
    if (!IsDialectTrait(trait)) continue;
    bits.push_back(absl::StrCat("DialectTrait::k", Camel(trait)));
  }
  if (bits.empty()) return {};
  return Fill("    DialectTraits({", bits, "}),\n", 8);
}

std::string UpgradeTable(const Op& op) {
  constexpr const char* kKinds[] = {"AddAttr", "ConvertAttr", "AddInput",
                                    "AddOutput", "JoinPostOps"};
  if (op.upgrades.empty()) return {};
  std::string text = absl::Substitute(
      "namespace {\n\nconstexpr OpUpgrade k$0Upgrades[] = {\n", Camel(op.name));
  const Arguments& arguments = op.signature.arguments;
  for (const Upgrade& rule : op.upgrades) {
    absl::SubstituteAndAppend(
        &text, "    {$0, OpUpgrade::Kind::k$1,\n     \"$2\"", rule.to,
        kKinds[static_cast<int>(rule.kind)], rule.name);
    if (rule.kind == Upgrade::Kind::kAddAttr) {
      const AttrDecl& attr = arguments.attrs[FindAttr(arguments, rule.name)];
      absl::StrAppend(&text, ", AttrRef(", CppItem(attr.type, rule.value), ")");
    }
    if (rule.kind == Upgrade::Kind::kJoinPostOps) {
      absl::SubstituteAndAppend(&text, ", {}, {\"$0\", \"$1\", \"$2\"}",
                                rule.joined[0], rule.joined[1], rule.joined[2]);
    }
    text += "},\n";
  }
  return text + "};\n\n}  // namespace\n\n";
}

// A line for the member `upgrades`, where the entry has some.
std::string UpgradesLine(const Op& op) {
  if (op.upgrades.empty()) return {};
  return absl::StrCat(TraitsLine(op).empty() ? "    0,\n" : "", "    k",
                      Camel(op.name), "Upgrades,\n");
}

std::string Record(const Op& op) {
  const bool gradient = !op.backward.empty();
  return UpgradeTable(op) +
         absl::Substitute(
             "constexpr DialectOp dialect_$0 = {\n    &phi::info_$0,\n    $1,\n"
             "    $2,\n    $3,\n    $4,\n$5$6};\n",
             op.name, gradient ? "&phi::grad_map_" + op.name : "nullptr",
             gradient ? "&dialect_" + op.backward : "nullptr",
             HasBody(op) ? "&" + CompositeName(op) : "nullptr",
             op.kernel.has_value() ? "false" : "true", TraitsLine(op),
             UpgradesLine(op));
}

GeneratedFile DialectSource(const Family& family, const Op& op) {
  std::vector<std::string> includes = {
      absl::StrCat("phi/core/signatures/", op.name, ".gen.h")};
  if (!op.backward.empty()) {
    includes.push_back(HeaderPath(op.backward));
    includes.push_back(
        absl::StrCat("phi/core/signatures/", op.name, "_grad_map.gen.h"));
  }
  std::string body = "\n";
  if (HasBody(op)) {
    for (const std::string& include :
         CompositeIncludes(op, DialectComposites())) {
      includes.push_back(include);
    }
    body += CompositeFunction(op, DialectComposites());
  }
  body += Record(op);
  return {op.name + ".gen.cc", Source(FileTop(family, op), HeaderPath(op.name),
                                      includes, kNamespace, body)};
}

}  // namespace

std::vector<GeneratedFile> EmitDialect(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    files.push_back(DialectHeader(family, op));
    files.push_back(DialectSource(family, op));
  }
  return files;
}

std::vector<GeneratedFile> EmitAllDialect(
    const std::vector<std::string>& names) {
  return {
      {"every_operator.gen.cc",
       Source(AggregateTop(), "static_graph/dialect/every_operator.h", {},
              kNamespace,
              AllRecords("DialectOp", "dialect_", "AllDialectOps", names))}};
}

}  // namespace switchyard::ops_gen
