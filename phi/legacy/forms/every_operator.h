// SPDX-License-Identifier: Apache-2.0
// AllLegacyForms: every legacy operator type that the YAML files describe. For
// calls by legacy name and importers; a legacy kernel, which knows its type,
// refers to `legacy_<type>` (phi/legacy/forms/<op>.gen.h) and links no other.
#ifndef SWITCHYARD_PHI_LEGACY_FORMS_EVERY_OPERATOR_H_
#define SWITCHYARD_PHI_LEGACY_FORMS_EVERY_OPERATOR_H_

#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "phi/legacy/forms/legacy_form.h"

namespace switchyard::phi {

// Returns all forms, sorted by type.
absl::Span<const LegacyForm* const> AllLegacyForms();

// Returns the forms that lead to this operator, sorted by type.
std::vector<const LegacyForm*> LegacyFormsOfOp(const OpInfo& op);

// Returns the form of this type: that of the YAML files, or else of an operator
// that the process has added (phi/core/op_table.h); null if there is none.
const LegacyForm* FindLegacyForm(std::string_view type);

// Returns the forms of each operator, sorted by the operators' names;
// generated.
absl::Span<const LegacyFormsOf* const> LegacyFormsByOp();

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_LEGACY_FORMS_EVERY_OPERATOR_H_
