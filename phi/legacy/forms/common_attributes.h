// SPDX-License-Identifier: Apache-2.0
// The attributes that old programs attach to operators of any type. Those on
// which no result depends are dropped; of the others the table names all that
// they may be here, and the rest is refused. Attributes of one type of operator
// are in its LegacyForm.
#ifndef SWITCHYARD_PHI_LEGACY_FORMS_COMMON_ATTRIBUTES_H_
#define SWITCHYARD_PHI_LEGACY_FORMS_COMMON_ATTRIBUTES_H_

#include <string_view>

#include "phi/legacy/forms/legacy_form.h"

namespace switchyard::phi {

// Returns true for an attribute of which no value changes a result: what
// wrote the operator (op_role, op_callstack, struct_name), where to write
// (inplace of fluid 1.x), what a quantiser noted for itself (skip_quant,
// quantization_type) or whether other attributes are there (with_quant_attr).
bool IsWithoutEffect(std::string_view name);

// Returns true for a value with which an attribute that a form lacks changes no
// result: false, 0, an empty text or list, and any value of `is_test`, which
// only says what the program is for, or of the thresholds (`*_threshold`) that
// quantisation leaves behind.
bool IsNeutral(std::string_view name, AttrRef value);

// Returns what the attribute may be, as one that leads to none of ours
// (`attr` is -1); null for a name that the table lacks.
const LegacyAttr* FindCommonAttr(std::string_view name);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_LEGACY_FORMS_COMMON_ATTRIBUTES_H_
