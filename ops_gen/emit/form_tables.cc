// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/form_tables.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/text.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

std::vector<std::string> SlotRows(const std::vector<FormSlot>& slots) {
  std::vector<std::string> rows;
  for (const FormSlot& slot : slots) {
    rows.push_back(
        absl::Substitute("{\"$0\", $1, $2, $3, $4, $5, $6}", slot.name, slot.to,
                         slot.supplies, slot.gives, Bool(slot.duplicable),
                         Bool(slot.dispensable), Bool(slot.intermediate)));
  }
  return rows;
}

// An AttrRef of a literal; what it refers to is defined in `storage` before.
std::string Reference(ValueType type, const Literal& literal,
                      const std::string& name, std::string& storage) {
  const std::string value = CppDefault(type, literal);
  if (type == ValueType::kScalar) {
    absl::StrAppend(&storage, "constexpr Scalar ", name, " = ", value, ";\n");
    return absl::StrCat("AttrRef(", name, ")");
  }
  if (type == ValueType::kInt64) {
    return absl::StrCat("AttrRef(int64_t{", value, "})");
  }
  if (!literal.list) return absl::StrCat("AttrRef(", value, ")");
  if (!literal.items.empty()) {
    absl::StrAppend(&storage, "constexpr ", AttrType(ItemType(type)), " ", name,
                    "[] = ", value, ";\n");
  }
  return absl::Substitute("AttrRef($0($1))", AttrType(type),
                          literal.items.empty() ? "" : name);
}

// The table of an attribute's values, in `storage`; returns its name, "{}" for
// no values.
std::string ValueTable(const FormAttr& attr, const Op& op,
                       const std::string& stem, std::string& storage) {
  if (attr.values.empty()) return "{}";
  std::vector<std::string> rows;
  for (const FormValue& value : attr.values) {
    const std::string name = absl::StrCat(stem, "Value", rows.size());
    std::string row =
        absl::StrCat("{", Reference(attr.type, value.value, name, storage));
    if (value.ours.has_value()) {
      const ValueType ours = op.signature.arguments.attrs[attr.to].type;
      absl::StrAppend(&row, ", true, ",
                      Reference(ours, *value.ours, name + "Ours", storage));
    }
    rows.push_back(row + "}");
  }
  const std::string name = stem + "Values";
  storage += Table("LegacyValue", name, rows);
  return name;
}

std::vector<std::string> AttrRows(const Form& form, const Op& op,
                                  const std::string& stem_of_form,
                                  std::string& storage) {
  std::vector<std::string> rows;
  for (const FormAttr& attr : form.attrs) {
    const std::string stem = absl::StrCat(stem_of_form, "Attr", rows.size());
    const auto optional = [&](const std::optional<Literal>& literal,
                              const char* what) -> std::string {
      if (!literal.has_value()) return "false, {}";
      return absl::StrCat("true, ",
                          Reference(attr.type, *literal, stem + what, storage));
    };
    std::string row = absl::Substitute("{\"$0\", $1, $2", attr.name, attr.to,
                                       AttrEnumerator(attr.type));
    const bool checked = !attr.values.empty() || attr.unset.has_value() ||
                         attr.repeat.has_value() || !attr.bound.empty() ||
                         attr.range.has_value();
    if (attr.default_value.has_value() || checked) {
      absl::StrAppend(&row, ", ", optional(attr.default_value, "Default"));
    }
    if (checked) {
      absl::StrAppend(&row, ", ", ValueTable(attr, op, stem, storage), ", ",
                      optional(attr.unset, "Unset"));
    }
    if (attr.repeat.has_value()) {
      absl::StrAppend(&row, ", true, ", attr.repeat->items[0]);
    }
    if (!attr.bound.empty()) {
      absl::StrAppend(&row, ", false, 0, LegacyBound::k",
                      attr.bound == "first" ? "First" : "Last");
    }
    if (attr.range.has_value()) {
      absl::StrAppend(&row, ", false, 0, LegacyBound::kNone, ",
                      attr.range->first, ", ", attr.range->second);
    }
    rows.push_back(row + "}");
  }
  return rows;
}

std::vector<std::string> ConstantRows(const Form& form, const Op& op,
                                      const std::string& stem,
                                      std::string& storage) {
  std::vector<std::string> rows;
  for (const FormConstant& constant : form.constants) {
    const std::string name = absl::StrCat(stem, "Constant", rows.size());
    const ValueType type = op.signature.arguments.attrs[constant.to].type;
    rows.push_back(
        absl::Substitute("{$0, $1}", constant.to,
                         Reference(type, constant.value, name, storage)));
  }
  return rows;
}

}  // namespace

FormTables TablesOf(const Op& op, const Form& form, const std::string& stem) {
  const std::vector<std::string> inputs = SlotRows(form.inputs);
  const std::vector<std::string> outputs = SlotRows(form.outputs);
  std::string storage;
  const std::vector<std::string> attrs = AttrRows(form, op, stem, storage);
  const std::vector<std::string> constants =
      ConstantRows(form, op, stem, storage);
  std::vector<std::string> extra;
  for (const std::string& name : form.extra) {
    extra.push_back(absl::StrCat("\"", name, "\""));
  }
  FormTables made;
  made.tables =
      absl::StrCat(storage, Table("LegacySlot", stem + "Inputs", inputs),
                   Table("LegacySlot", stem + "Outputs", outputs),
                   Table("LegacyAttr", stem + "Attrs", attrs),
                   Table("LegacyConstant", stem + "Constants", constants),
                   Table("const char*", stem + "Extra", extra));
  made.record = absl::StrCat(
      "{\n    \"", form.type, "\",\n    &info_", op.name, ",\n    ",
      TableOrEmpty(inputs.size(), stem + "Inputs"), ",\n    ",
      TableOrEmpty(outputs.size(), stem + "Outputs"), ",\n    ",
      TableOrEmpty(attrs.size(), stem + "Attrs"), ",\n    ",
      TableOrEmpty(constants.size(), stem + "Constants"), ",\n    ",
      TableOrEmpty(extra.size(), stem + "Extra"), ",\n    \"", form.grad_type,
      "\",\n}");
  return made;
}

}  // namespace switchyard::ops_gen
