// SPDX-License-Identifier: Apache-2.0
// A call by legacy names (slots, attributes) as a call of our operator: which
// tensor goes where, and all attributes in the operator's order. It checks the
// call against the LegacyForm and knows no tensors: eager/legacy and the
// importer of old programs use it with their own kinds of value.
//
// Errors are sentences without the operator's name: "X must be given, got
// none".
#ifndef SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_CALL_H_
#define SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_CALL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/arg_buffer.h"
#include "phi/legacy/forms/legacy_form.h"

namespace switchyard::phi {

// One input slot of a call, and how many tensors it holds.
struct LegacyInput {
  std::string_view slot;
  size_t count;
};

// A tensor of a call: number `position` in the call's input number `input`;
// input is -1 for an absent one.
struct LegacyTensor {
  int input = -1;
  int position = 0;
};

// The inputs of a call of our operator, in terms of the legacy call's.
struct LegacyInputs {
  // Indexed by argument of the operator.
  ArgBuffer<LegacyTensor> tensors;
  // For each attribute of the operator the input of the call that supplies it,
  // or gives it (LegacySlot::gives); -1: none does.
  std::vector<int> suppliers;
};

// A slot without tensors counts as absent, whatever its name. ArgumentError for
// another slot that the form lacks, that is there twice, that must be given and
// is not, or that holds several tensors and may not.
absl::StatusOr<LegacyInputs> MapInputs(const LegacyForm& form,
                                       absl::Span<const LegacyInput> given);

// Returns the attribute number `attr` that the tensor of this slot gives by
// what it is (LegacySlot::gives). `attributes`: the others. ArgumentError or
// OutOfRange where it has no such extent, or none that is known.
absl::StatusOr<Attribute> ReadGiven(const LegacyForm& form, const char* slot,
                                    int attr, const TensorSpec& spec,
                                    absl::Span<const Attribute> attributes);

// An attribute of a legacy call.
struct LegacyAttrValue {
  std::string_view name;
  AttrRef value;
};

// Returns true if MapAttributes looks at the value of an attribute of that
// name; others may be of a type that no Attribute has.
bool ReadsAttribute(const LegacyForm& form, std::string_view name);

// The operator's attributes in its order: what is given, converted to the
// operator's type; the form's defaults; constants of the form; the operator's
// own. Attributes of which no value changes a result, which are extra in the
// form or may be on any legacy operator (op_role, ...), are dropped. A number
// fits where no value is lost: an int as int64_t, a list of either as the
// other, a text as the Scalar it spells, 0 and 1 as a bool, a whole number as a
// list of one. An attribute that the form lacks is dropped where its value is
// neutral (phi/legacy/forms/common_attributes.h).
//
// `suppliers` as in LegacyInputs: those attributes are left at a default and
// filled in by the caller. ArgumentError for another name that the form lacks
// or that is there twice, for a value outside the type's range or not among
// those that the form (or phi/legacy/forms/common_attributes.h) names, and for
// an attribute without value or default; TypeError for a value of another type.
// All such problems are in one error, up to 20, separated by "; ".
absl::StatusOr<std::vector<Attribute>> MapAttributes(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given,
    absl::Span<const int> suppliers = {});

// `value` as an attribute of type `to`, as MapAttributes converts it;
// TypeError(name, ...) or ArgumentError(name, ...) where it can't be.
absl::StatusOr<Attribute> ConvertAttribute(std::string_view name, AttrRef value,
                                           AttrType to);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_CALL_H_
