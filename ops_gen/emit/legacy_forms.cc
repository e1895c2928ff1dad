// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/legacy_forms.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kFolder[] = "phi/legacy/";
constexpr char kNamespace[] = "switchyard::phi";
constexpr char kGradSuffix[] = "@GRAD";

const LegacySlot* SlotOf(const std::vector<LegacySlot>& slots, int argument) {
  for (const LegacySlot& slot : slots) {
    if (slot.to == argument) return &slot;
  }
  return nullptr;
}

LegacySlot GradSlot(const LegacySlot& forward, int to) {
  LegacySlot slot;
  slot.name = forward.name + kGradSuffix;
  slot.to = to;
  slot.duplicable = forward.duplicable;
  return slot;
}

bool HasSlot(const std::vector<LegacySlot>& slots, const std::string& name) {
  for (const LegacySlot& slot : slots) {
    if (slot.name == name) return true;
  }
  return false;
}

// Slots that a gradient of the general kind lists though it reads others.
void AddUnread(const std::vector<LegacySlot>& forward, const char* suffix,
               std::vector<LegacySlot>& slots) {
  for (const LegacySlot& slot : forward) {
    LegacySlot unread;
    unread.name = slot.name + suffix;
    unread.duplicable = slot.duplicable;
    unread.dispensable = true;
    if (!HasSlot(slots, unread.name)) slots.push_back(std::move(unread));
  }
}

// The forms that <op>.gen.cc defines.
std::vector<LegacyForm> FormsOf(const Family& family, const Op& op) {
  std::vector<LegacyForm> forms = op.paddle;
  if (!op.gradient.has_value()) return forms;
  const Op* forward = FindOp(family, op.gradient->forward);
  for (const LegacyForm& form : forward->paddle) {
    // The gradient may be a forward operator's type, in that one's own form:
    // cast's is another cast.
    bool own_type = !form.grad_type.empty();
    for (const Op& other : family.ops) {
      for (const LegacyForm& taken : other.paddle) {
        own_type &= taken.type != form.grad_type;
      }
    }
    if (own_type) forms.push_back(GradientForm(form, op));
  }
  return forms;
}

bool IsLegacy(const Family& family, const Op& op) {
  if (!op.paddle.empty()) return true;
  if (!op.gradient.has_value()) return false;
  const Op* forward = FindOp(family, op.gradient->forward);
  return forward != nullptr && !forward->paddle.empty();
}

std::vector<std::string> SlotRows(const std::vector<LegacySlot>& slots) {
  std::vector<std::string> rows;
  for (const LegacySlot& slot : slots) {
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
std::string ValueTable(const LegacyAttr& attr, const Op& op,
                       const std::string& stem, std::string& storage) {
  if (attr.values.empty()) return "{}";
  std::vector<std::string> rows;
  for (const LegacyValue& value : attr.values) {
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

std::vector<std::string> AttrRows(const LegacyForm& form, const Op& op,
                                  std::string& storage) {
  std::vector<std::string> rows;
  for (const LegacyAttr& attr : form.attrs) {
    const std::string stem =
        absl::StrCat("k", Camel(form.type), "Attr", rows.size());
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

std::vector<std::string> ConstantRows(const LegacyForm& form, const Op& op,
                                      std::string& storage) {
  std::vector<std::string> rows;
  for (const LegacyConstant& constant : form.constants) {
    const std::string name =
        absl::StrCat("k", Camel(form.type), "Constant", rows.size());
    const ValueType type = op.signature.arguments.attrs[constant.to].type;
    rows.push_back(
        absl::Substitute("{$0, $1}", constant.to,
                         Reference(type, constant.value, name, storage)));
  }
  return rows;
}

// The tables of one form and, after them, its record.
void AppendForm(const Op& op, const LegacyForm& form, std::string& tables,
                std::string& records) {
  const std::string stem = absl::StrCat("k", Camel(form.type));
  const std::vector<std::string> inputs = SlotRows(form.inputs);
  const std::vector<std::string> outputs = SlotRows(form.outputs);
  std::string storage;
  const std::vector<std::string> attrs = AttrRows(form, op, storage);
  const std::vector<std::string> constants = ConstantRows(form, op, storage);
  std::vector<std::string> extra;
  for (const std::string& name : form.extra) {
    extra.push_back(absl::StrCat("\"", name, "\""));
  }
  absl::StrAppend(&tables, storage,
                  Table("LegacySlot", stem + "Inputs", inputs),
                  Table("LegacySlot", stem + "Outputs", outputs),
                  Table("LegacyAttr", stem + "Attrs", attrs),
                  Table("LegacyConstant", stem + "Constants", constants),
                  Table("const char*", stem + "Extra", extra));
  absl::StrAppend(&records, "\nconstexpr LegacyForm legacy_", form.type,
                  " = {\n    \"", form.type, "\",\n    &info_", op.name,
                  ",\n    ", TableOrEmpty(inputs.size(), stem + "Inputs"),
                  ",\n    ", TableOrEmpty(outputs.size(), stem + "Outputs"),
                  ",\n    ", TableOrEmpty(attrs.size(), stem + "Attrs"),
                  ",\n    ", TableOrEmpty(constants.size(), stem + "Constants"),
                  ",\n    ", TableOrEmpty(extra.size(), stem + "Extra"),
                  ",\n    \"", form.grad_type, "\",\n};\n");
}

std::string FormsOfDeclaration(const std::string& op) {
  return absl::StrCat("extern const LegacyFormsOf legacy_forms_of_", op, ";\n");
}

GeneratedFile FormsHeader(const Family& family, const Op& op,
                          const std::vector<LegacyForm>& forms) {
  std::string body = "\n";
  for (const LegacyForm& form : forms) {
    absl::StrAppend(&body, "extern const LegacyForm legacy_", form.type, ";\n");
  }
  body += FormsOfDeclaration(op.name);
  return {op.name + ".gen.h",
          Header(FileTop(family, op), absl::StrCat(kFolder, op.name, ".gen.h"),
                 {"phi/legacy/legacy_form.h"}, kNamespace, body)};
}

GeneratedFile FormsSource(const Family& family, const Op& op,
                          const std::vector<LegacyForm>& forms) {
  std::string tables;
  std::string records;
  std::vector<std::string> items;
  for (const LegacyForm& form : forms) {
    AppendForm(op, form, tables, records);
    items.push_back(absl::StrCat("&legacy_", form.type));
  }
  std::string body;
  if (!tables.empty()) {
    body = absl::StrCat("namespace {\n\n", tables, "\n}  // namespace\n");
  }
  absl::StrAppend(&body, records, "\n");
  const std::string forms_name = absl::StrCat("k", Camel(op.name), "Forms");
  if (!items.empty()) {
    body += Fill(absl::StrCat("static constexpr const LegacyForm* ", forms_name,
                              "[] = {"),
                 items, "};\n", 4);
  }
  absl::StrAppend(&body, "constexpr LegacyFormsOf legacy_forms_of_", op.name,
                  " = {", TableOrEmpty(items.size(), forms_name), "};\n");
  return {op.name + ".gen.cc",
          Source(FileTop(family, op), absl::StrCat(kFolder, op.name, ".gen.h"),
                 {absl::StrCat("phi/core/signatures/", op.name, ".gen.h")},
                 kNamespace, body)};
}

}  // namespace

LegacyForm GradientForm(const LegacyForm& forward, const Op& backward) {
  const Gradient& gradient = *backward.gradient;
  LegacyForm form;
  form.location = forward.location;
  form.type = forward.grad_type;
  form.extra = forward.extra;
  for (size_t i = 0; i < gradient.inputs.size(); ++i) {
    const GradInput& source = gradient.inputs[i];
    const bool input = source.kind == GradInput::Kind::kInput;
    const LegacySlot* slot =
        SlotOf(input ? forward.inputs : forward.outputs, source.index);
    if (slot == nullptr) continue;
    LegacySlot ours = *slot;
    ours.intermediate = false;
    ours.supplies = -1;
    ours.gives = -1;
    if (source.kind == GradInput::Kind::kOutputGrad) ours = GradSlot(*slot, 0);
    ours.to = static_cast<int>(i);
    ours.dispensable = backward.input_facts[i].optional;
    form.inputs.push_back(std::move(ours));
  }
  AddUnread(forward.inputs, "", form.inputs);
  AddUnread(forward.outputs, "", form.inputs);
  AddUnread(forward.outputs, kGradSuffix, form.inputs);
  for (size_t i = 0; i < gradient.outputs.size(); ++i) {
    const LegacySlot* slot = SlotOf(forward.inputs, gradient.outputs[i]);
    if (slot == nullptr) continue;
    LegacySlot ours = GradSlot(*slot, static_cast<int>(i));
    ours.dispensable = true;
    form.outputs.push_back(std::move(ours));
  }
  for (LegacyAttr attr : forward.attrs) {
    if (attr.to >= 0) {
      const auto read =
          std::find(gradient.attrs.begin(), gradient.attrs.end(), attr.to);
      if (read == gradient.attrs.end()) {  // Programs carry it all the same.
        form.extra.push_back(attr.name);
        continue;
      }
      attr.to = static_cast<int>(read - gradient.attrs.begin());
    }
    form.attrs.push_back(std::move(attr));
  }
  for (size_t i = 0; i < gradient.attrs.size(); ++i) {
    for (LegacyConstant constant : forward.constants) {
      if (gradient.attrs[i] < 0 || constant.to != gradient.attrs[i]) continue;
      constant.to = static_cast<int>(i);
      form.constants.push_back(std::move(constant));
    }
  }
  return form;
}

std::vector<GeneratedFile> EmitLegacyForms(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    if (!IsLegacy(family, op)) continue;
    const std::vector<LegacyForm> forms = FormsOf(family, op);
    files.push_back(FormsHeader(family, op, forms));
    files.push_back(FormsSource(family, op, forms));
  }
  return files;
}

std::vector<GeneratedFile> EmitAllLegacyForms(
    const std::vector<std::string>& names) {
  std::string declarations = "\n";
  std::vector<std::string> items;
  for (const std::string& name : names) {
    declarations += FormsOfDeclaration(name);
    items.push_back(absl::StrCat("&legacy_forms_of_", name));
  }
  const std::string body = absl::StrCat(
      declarations,
      "\nabsl::Span<const LegacyFormsOf* const> LegacyFormsByOp() {\n",
      Fill("  static constexpr const LegacyFormsOf* kAll[] = {", items, "};\n",
           6),
      "  return kAll;\n}\n");
  return {{"every_operator.gen.cc",
           Source(AggregateTop(), "phi/legacy/every_operator.h", {}, kNamespace,
                  body)}};
}

}  // namespace switchyard::ops_gen
