// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/composite.h"

#include "absl/strings/str_cat.h"

namespace switchyard::ops_gen {
CompositeStyle EagerComposites() {
  CompositeStyle style;
  style.constant = "eager_";
  style.record = "EagerOp";
  style.header = "eager/call/composite_ops.h";
  return style;
}

CompositeStyle DialectComposites() {
  CompositeStyle style;
  style.constant = "dialect_";
  style.record = "DialectOp";
  style.header = "static_graph/dialect/composite_ops.h";
  style.builder = "ir::Builder& builder";
  return style;
}

bool HasBody(const Op& op) {
  return op.composite.has_value() || op.invoke.has_value();
}

std::vector<std::string> UsedOps(const Op& op) {
  if (op.composite.has_value()) return op.composite->uses;
  return {op.invoke->op};
}

std::string BodyHeaderPath(const std::string& op) {
  return absl::StrCat("phi/composite/bodies/", op, ".gen.h");
}

std::string BodyName(const Op& op) {
  return absl::StrCat(Camel(op.name), "Body");
}

std::string CompositeName(const Op& op) {
  return absl::StrCat(Camel(op.name), "Composite");
}

std::string CompositeFunction(const Op& op, const CompositeStyle& style) {
  // Declares the records itself: the headers of the operators say more, and
  // would have this compiled again whenever that changes.
  std::string records;
  std::vector<std::string> uses;
  for (const std::string& used : UsedOps(op)) {
    const std::string record = absl::StrCat(style.constant, used);
    absl::StrAppend(&records, "extern const ", style.record, " ", record,
                    ";\n");
    uses.push_back("&" + record);
  }
  const std::string table = absl::StrCat("k", Camel(op.name), "Uses");
  std::vector<std::string> parameters = {"const CompositeArgs& args"};
  std::vector<std::string> arguments = {
      absl::StrCat("&phi::composite::", BodyName(op)),
      uses.empty() ? "{}" : table, "args"};
  if (!style.builder.empty()) {
    parameters.insert(parameters.begin(), style.builder);
    arguments.insert(arguments.end() - 1, "builder");
  }
  return absl::StrCat(
      records, records.empty() ? "" : "\n", "namespace {\n\n",
      uses.empty() ? ""
                   : Fill(absl::StrCat("constexpr const ", style.record, "* ",
                                       table, "[] = {"),
                          uses, "};\n"),
      Fill(absl::StrCat("absl::Status ", CompositeName(op), "("), parameters,
           ") {\n"),
      Fill("  return RunBody(", arguments, ");\n", 6),
      "}\n\n}  // namespace\n\n");
}

std::vector<std::string> CompositeIncludes(const Op& op,
                                           const CompositeStyle& style) {
  return {style.header, BodyHeaderPath(op.name)};
}

}  // namespace switchyard::ops_gen
