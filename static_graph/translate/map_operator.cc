// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/map_operator.h"

#include "static_graph/translate/legacy_attributes.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

// Whether a call is of the test phase, in which no operator draws numbers.
bool IsTest(const phi::OpInfo& op, absl::Span<const Attribute> attributes) {
  const int is_test = op.attr_index("is_test");
  return is_test >= 0 && attributes[is_test].ref().Get<bool>();
}

}  // namespace

absl::StatusOr<MappedOperator> MapOperator(const OpDesc& op,
                                           const phi::LegacyForm& form) {
  std::vector<phi::LegacyInput> given;
  for (const OpDesc::Var& slot : op.inputs()) {
    given.push_back(
        {slot.parameter(), static_cast<size_t>(slot.arguments_size())});
  }
  MappedOperator mapped;
  SY_ASSIGN_OR_RETURN(mapped.inputs, phi::MapInputs(form, given));
  SY_ASSIGN_OR_RETURN(const LegacyAttributes read, ReadAttributes(op, form));
  const std::vector<phi::LegacyAttrValue>& values = read.values;
  SY_ASSIGN_OR_RETURN(
      mapped.attributes,
      phi::MapAttributes(form, values, mapped.inputs.suppliers));
  SY_ASSIGN_OR_RETURN(mapped.options, phi::ReadCallOptions(form, values));
  SY_RETURN_IF_ERROR(phi::CheckSparse(mapped.options, *form.grad_type == '\0'));
  if (form.op->has(phi::Trait::kRandom) &&
      !IsTest(*form.op, mapped.attributes)) {
    return absl::UnimplementedError(
        "random operators are translated for the test phase alone");
  }
  return mapped;
}

}  // namespace switchyard::static_graph
