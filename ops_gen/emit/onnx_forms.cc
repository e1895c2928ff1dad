// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/onnx_forms.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/form_tables.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kFolder[] = "phi/onnx/";
constexpr char kNamespace[] = "switchyard::phi";

std::string FormsOfDeclaration(const std::string& op) {
  return absl::StrCat("extern const OnnxFormsOf onnx_forms_of_", op, ";\n");
}

// The rows of the dtypes that inputs may have; each list is defined in
// `tables` before.
std::vector<std::string> DtypeRows(const Form& form, const std::string& stem,
                                   std::string* tables) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < form.inputs.size(); ++i) {
    if (form.inputs[i].dtypes.empty()) continue;
    std::vector<std::string> items;
    for (const std::string& dtype : form.inputs[i].dtypes) {
      items.push_back(DtypeEnumerator(dtype));
    }
    const std::string name = absl::StrCat(stem, "Dtypes", i);
    *tables += Fill(absl::StrCat("constexpr DataType ", name, "[] = {"), items,
                    "};\n");
    rows.push_back(absl::Substitute("{$0, $1}", i, name));
  }
  return rows;
}

GeneratedFile FormsHeader(const Family& family, const Op& op) {
  return {op.name + ".gen.h",
          Header(FileTop(family, op), absl::StrCat(kFolder, op.name, ".gen.h"),
                 {"phi/onnx/onnx_form.h"}, kNamespace,
                 "\n" + FormsOfDeclaration(op.name))};
}

GeneratedFile FormsSource(const Family& family, const Op& op) {
  std::string tables;
  std::string rows;
  const std::string name = absl::StrCat("kOnnx", Camel(op.name), "Forms");
  int number = 0;
  for (const Form& form : op.forms(kOnnx)) {
    const std::string stem = absl::StrCat("kOnnx", Camel(op.name), number++);
    const FormTables made = TablesOf(op, form, stem);
    tables += made.tables;
    const std::vector<std::string> dtypes = DtypeRows(form, stem, &tables);
    tables += Table("OnnxDtypes", stem + "Dtypes", dtypes);
    absl::StrAppend(
        &rows,
        absl::Substitute("    {\"$0\", $1, $2, $3,\n     ", form.domain,
                         form.since, form.before,
                         TableOrEmpty(dtypes.size(), stem + "Dtypes")),
        absl::StrReplaceAll(made.record, {{"\n", "\n     "}}), "},\n");
  }
  const std::string body = absl::StrCat(
      "namespace {\n\n", tables, "\nconstexpr OnnxForm ", name, "[] = {\n",
      rows, "};\n\n}  // namespace\n\nconstexpr OnnxFormsOf onnx_forms_of_",
      op.name, " = {", name, "};\n");
  return {op.name + ".gen.cc",
          Source(FileTop(family, op), absl::StrCat(kFolder, op.name, ".gen.h"),
                 {absl::StrCat("phi/core/signatures/", op.name, ".gen.h")},
                 kNamespace, body)};
}

}  // namespace

std::vector<GeneratedFile> EmitOnnxForms(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    if (op.forms(kOnnx).empty()) continue;
    files.push_back(FormsHeader(family, op));
    files.push_back(FormsSource(family, op));
  }
  return files;
}

std::vector<GeneratedFile> EmitAllOnnxForms(
    const std::vector<std::string>& names) {
  std::string declarations = "\n";
  std::vector<std::string> items;
  for (const std::string& name : names) {
    declarations += FormsOfDeclaration(name);
    items.push_back(absl::StrCat("&onnx_forms_of_", name));
  }
  const std::string body =
      absl::StrCat(declarations,
                   "\nabsl::Span<const OnnxFormsOf* const> OnnxFormsByOp() {\n",
                   Fill("  static constexpr const OnnxFormsOf* kAll[] = {",
                        items, "};\n", 6),
                   "  return kAll;\n}\n");
  return {{"every_operator.gen.cc",
           Source(AggregateTop(), "phi/onnx/every_operator.h", {}, kNamespace,
                  body)}};
}

}  // namespace switchyard::ops_gen
