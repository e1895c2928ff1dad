// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/every_operator.h"

#include <algorithm>
#include <vector>

#include "framework/base/hash_map.h"
#include "phi/core/op_table.h"

namespace switchyard::phi {
namespace {

bool TypeBefore(const LegacyForm* form, std::string_view type) {
  return form->type < type;
}

std::vector<const LegacyForm*> Sorted() {
  std::vector<const LegacyForm*> all;
  for (const LegacyFormsOf* op : LegacyFormsByOp()) {
    all.insert(all.end(), op->forms.begin(), op->forms.end());
  }
  std::sort(all.begin(), all.end(),
            [](const LegacyForm* a, const LegacyForm* b) {
              return TypeBefore(a, b->type);
            });
  return all;
}

using FormsByType = HashMap<std::string_view, const LegacyForm*>;

FormsByType ByType() {
  FormsByType forms;
  for (const LegacyForm* form : AllLegacyForms()) {
    forms.emplace(form->type, form);
  }
  return forms;
}

}  // namespace

absl::Span<const LegacyForm* const> AllLegacyForms() {
  static const auto& all = *new std::vector<const LegacyForm*>(Sorted());
  return all;
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
