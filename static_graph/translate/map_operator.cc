// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/map_operator.h"

#include <string_view>

#include "static_graph/translate/legacy_attributes.h"

namespace switchyard::static_graph {
namespace {

// Whether a call is of the test phase, in which no operator draws numbers.
bool IsTest(const phi::OpInfo& op, absl::Span<const Attribute> attributes) {
  const int is_test = op.attr_index("is_test");
  return is_test >= 0 && attributes[is_test].ref().Get<bool>();
}

// Whether a gradient that needs of X but its extents is given XShape instead,
// which the forward operator wrote for it.
bool IsGivenByShape(const ForeignOperator& op, const phi::LegacyForm& form) {
  const phi::LegacySlot* const x = form.input(kShapedSlot);
  if (x == nullptr || x->argument < 0 || x->dispensable) return false;
  bool shape = false;
  for (const ForeignSlot& slot : op.inputs) {
    if (slot.variables.empty()) continue;
    if (slot.name == kShapedSlot) return false;
    shape |= slot.name == kShapeSlot;
  }
  return shape;
}

}  // namespace

absl::StatusOr<MappedOperator> MapOperator(const ForeignOperator& op,
                                           const phi::LegacyForm& form) {
  std::vector<phi::LegacyInput> given;
  const bool shaped = IsGivenByShape(op, form);
  for (const ForeignSlot& slot : op.inputs) {
    const std::string_view name = shaped && slot.name == kShapeSlot
                                      ? std::string_view(kShapedSlot)
                                      : std::string_view(slot.name);
    given.push_back({name, static_cast<size_t>(slot.count())});
  }
  MappedOperator mapped;
  SY_ASSIGN_OR_RETURN(mapped.inputs, phi::MapInputs(form, given));
  SY_ASSIGN_OR_RETURN(const std::vector<phi::LegacyAttrValue> values,
                      ReadAttributes(op, form));
  SY_ASSIGN_OR_RETURN(
      mapped.attributes,
      phi::MapAttributes(form, values, mapped.inputs.suppliers));
  SY_ASSIGN_OR_RETURN(mapped.options, phi::ReadCallOptions(form, values));
  SY_RETURN_IF_ERROR(phi::CheckSparse(mapped.options, *form.grad_type == '\0'));
  mapped.draws =
      form.op->has(phi::Trait::kRandom) && !IsTest(*form.op, mapped.attributes);
  return mapped;
}

}  // namespace switchyard::static_graph
