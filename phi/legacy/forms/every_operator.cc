// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/every_operator.h"

#include <algorithm>
#include <vector>

#include "framework/base/hash_map.h"
#include "phi/core/op_table.h"

namespace switchyard::phi {
namespace {

bool TypeBefore(const LegacyForm* form, std::string_view type) {
  return form->type < type;
}

void SortByType(std::vector<const LegacyForm*>* forms) {
  std::sort(forms->begin(), forms->end(),
            [](const LegacyForm* a, const LegacyForm* b) {
              return TypeBefore(a, b->type);
            });
}

std::vector<const LegacyForm*> Sorted() {
  std::vector<const LegacyForm*> all;
  for (const LegacyFormsOf* op : LegacyFormsByOp()) {
    all.insert(all.end(), op->forms.begin(), op->forms.end());
  }
  SortByType(&all);
  return all;
}

using FormsByType = HashMap<std::string_view, const LegacyForm*>;

FormsByType ByType() {
  FormsByType forms;
  forms.reserve(AllLegacyForms().size());
  for (const LegacyForm* form : AllLegacyForms()) {
    forms.emplace(form->type, form);
  }
  return forms;
}

using FormsByOp = HashMap<const OpInfo*, const LegacyFormsOf*>;

FormsByOp ByOp() {
  FormsByOp all;
  all.reserve(LegacyFormsByOp().size());
  for (const LegacyFormsOf* of_op : LegacyFormsByOp()) {
    if (!of_op->forms.empty()) all.emplace(of_op->forms[0]->op, of_op);
  }
  return all;
}

}  // namespace

absl::Span<const LegacyForm* const> AllLegacyForms() {
  static const auto& all = *new std::vector<const LegacyForm*>(Sorted());
  return all;
}

std::vector<const LegacyForm*> LegacyFormsOfOp(const OpInfo& op) {
  static const auto& by_op = *new FormsByOp(ByOp());
  const auto found = by_op.find(&op);
  if (found == by_op.end()) return {};
  std::vector<const LegacyForm*> forms(found->second->forms.begin(),
                                       found->second->forms.end());
  SortByType(&forms);
  return forms;
}

const LegacyForm* FindLegacyForm(std::string_view type) {
  // Loading a program looks each of its operators up several times.
  static const auto& by_type = *new FormsByType(ByType());
  const auto found = by_type.find(type);
  if (found != by_type.end()) return found->second;
  for (const AddedOp* op : OpTable::Current().ops()) {
    for (const LegacyForm* form : op->forms) {
      if (form->type == type) return form;
    }
  }
  return nullptr;
}

}  // namespace switchyard::phi
