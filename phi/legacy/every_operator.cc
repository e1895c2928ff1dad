// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/every_operator.h"

#include <algorithm>
#include <vector>

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

}  // namespace

absl::Span<const LegacyForm* const> AllLegacyForms() {
  static const auto& all = *new std::vector<const LegacyForm*>(Sorted());
  return all;
}

const LegacyForm* FindLegacyForm(std::string_view type) {
  const absl::Span<const LegacyForm* const> all = AllLegacyForms();
  const auto found = std::lower_bound(all.begin(), all.end(), type, TypeBefore);
  if (found != all.end() && (*found)->type == type) return *found;
  for (const AddedOp* op : OpTable::Current().ops()) {
    for (const LegacyForm* form : op->forms) {
      if (form->type == type) return form;
    }
  }
  return nullptr;
}

}  // namespace switchyard::phi
