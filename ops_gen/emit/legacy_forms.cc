// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/legacy_forms.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ops_gen/emit/form_tables.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kFolder[] = "phi/legacy/forms/";
constexpr char kNamespace[] = "switchyard::phi";
constexpr char kGradSuffix[] = "@GRAD";

const FormSlot* SlotOf(const std::vector<FormSlot>& slots, int argument) {
  for (const FormSlot& slot : slots) {
    if (slot.to == argument) return &slot;
  }
  return nullptr;
}

FormSlot GradSlot(const FormSlot& forward, int to) {
  FormSlot slot;
  slot.name = forward.name + kGradSuffix;
  slot.to = to;
  slot.duplicable = forward.duplicable;
  return slot;
}

bool HasSlot(const std::vector<FormSlot>& slots, const std::string& name) {
  for (const FormSlot& slot : slots) {
    if (slot.name == name) return true;
  }
  return false;
}

// Slots that a gradient of the general kind lists though it reads others.
void AddUnread(const std::vector<FormSlot>& forward, const char* suffix,
               std::vector<FormSlot>& slots) {
  for (const FormSlot& slot : forward) {
    FormSlot unread;
    unread.name = slot.name + suffix;
    unread.duplicable = slot.duplicable;
    unread.dispensable = true;
    if (!HasSlot(slots, unread.name)) slots.push_back(std::move(unread));
  }
}

// The forms that <op>.gen.cc defines.
std::vector<Form> FormsOf(const Family& family, const Op& op) {
  std::vector<Form> forms = op.forms(kPaddle);
  if (!op.gradient.has_value()) return forms;
  const Op* forward = FindOp(family, op.gradient->forward);
  for (const Form& form : forward->forms(kPaddle)) {
    // The gradient may be a forward operator's type, in that one's own form:
    // cast's is another cast.
    bool own_type = !form.grad_type.empty();
    for (const Op& other : family.ops) {
      for (const Form& taken : other.forms(kPaddle)) {
        own_type &= taken.type != form.grad_type;
      }
    }
    if (own_type) forms.push_back(GradientForm(form, op));
  }
  return forms;
}

bool IsLegacy(const Family& family, const Op& op) {
  if (!op.forms(kPaddle).empty()) return true;
  if (!op.gradient.has_value()) return false;
  const Op* forward = FindOp(family, op.gradient->forward);
  return forward != nullptr && !forward->forms(kPaddle).empty();
}

std::string FormsOfDeclaration(const std::string& op) {
  return absl::StrCat("extern const LegacyFormsOf legacy_forms_of_", op, ";\n");
}

GeneratedFile FormsHeader(const Family& family, const Op& op,
                          const std::vector<Form>& forms) {
  std::string body = "\n";
  for (const Form& form : forms) {
    absl::StrAppend(&body, "extern const LegacyForm legacy_", form.type, ";\n");
  }
  body += FormsOfDeclaration(op.name);
  return {op.name + ".gen.h",
          Header(FileTop(family, op), absl::StrCat(kFolder, op.name, ".gen.h"),
                 {"phi/legacy/forms/legacy_form.h"}, kNamespace, body)};
}

GeneratedFile FormsSource(const Family& family, const Op& op,
                          const std::vector<Form>& forms) {
  std::string tables;
  std::string records;
  std::vector<std::string> items;
  for (const Form& form : forms) {
    const FormTables made =
        TablesOf(op, form, absl::StrCat("k", Camel(form.type)));
    tables += made.tables;
    absl::StrAppend(&records, "\nconstexpr LegacyForm legacy_", form.type,
                    " = ", made.record, ";\n");
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

Form GradientForm(const Form& forward, const Op& backward) {
  const Gradient& gradient = *backward.gradient;
  Form form;
  form.location = forward.location;
  form.type = forward.grad_type;
  form.extra = forward.extra;
  for (size_t i = 0; i < gradient.inputs.size(); ++i) {
    const GradInput& source = gradient.inputs[i];
    const bool input = source.kind == GradInput::Kind::kInput;
    const FormSlot* slot =
        SlotOf(input ? forward.inputs : forward.outputs, source.index);
    if (slot == nullptr) continue;
    FormSlot ours = *slot;
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
    const FormSlot* slot = SlotOf(forward.inputs, gradient.outputs[i]);
    if (slot == nullptr) continue;
    FormSlot ours = GradSlot(*slot, static_cast<int>(i));
    ours.dispensable = true;
    form.outputs.push_back(std::move(ours));
  }
  for (FormAttr attr : forward.attrs) {
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
    for (FormConstant constant : forward.constants) {
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
    const std::vector<Form> forms = FormsOf(family, op);
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
           Source(AggregateTop(), "phi/legacy/forms/every_operator.h", {},
                  kNamespace, body)}};
}

}  // namespace switchyard::ops_gen
