// SPDX-License-Identifier: Apache-2.0
// Applies the promotion rule of an operator (`promote:` in YAML) to one call.
// Eager, dispatch and the builder of the static graph all call PromotedDtype
// and then cast. The rules for dtypes are in phi/promotion/promotion.h.
#ifndef SWITCHYARD_PHI_PROMOTION_OP_PROMOTION_H_
#define SWITCHYARD_PHI_PROMOTION_OP_PROMOTION_H_

#include "absl/container/inlined_vector.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/op_info.h"
#include "phi/promotion/promotion.h"

namespace switchyard::phi::promotion {

// Returns whether the operator's rule names input number `argument`.
constexpr bool IsPromoted(const OpInfo& op, int argument) {
  return (op.promotion.inputs >> argument & 1u) != 0;
}

// The type of an input as promotion reads it.
struct InputType {
  DataType dtype = DataType::kUndefined;  // Of an absent input.
  bool scalar = false;                    // Rank 0.
};

// Returns the dtype that every input under the rule must be cast to where it
// has another one; kUndefined if nothing is to be done (no rule, or all have
// it). `type_of` returns the InputType of an element. TypeError (without the
// operator's name) if the dtypes can't be mixed.
template <typename T, typename TypeOf>
absl::StatusOr<DataType> PromotedDtype(const OpInfo& op,
                                       const ArgList<T>& inputs,
                                       TypeOf type_of) {
  if (op.promotion.inputs == 0) return DataType::kUndefined;
  // Nearly every call mixes nothing; it shall not pay for those that do.
  DataType first = DataType::kUndefined;
  bool mixed = false;
  for (const auto [argument, slot, input] : inputs) {
    if (!IsPromoted(op, argument)) continue;
    const DataType dtype = type_of(input).dtype;
    if (first == DataType::kUndefined) first = dtype;
    mixed |= dtype != first && dtype != DataType::kUndefined;
  }
  const bool to_float = op.promotion.integer_to_float && IsInteger(first);
  if (!mixed && !to_float) return DataType::kUndefined;

  absl::InlinedVector<Operand, 8> operands;
  for (const auto [argument, slot, input] : inputs) {
    const InputType type = type_of(input);
    if (!IsPromoted(op, argument) || type.dtype == DataType::kUndefined) {
      continue;
    }
    operands.push_back({op.inputs[argument].name, type.dtype, type.scalar});
  }
  return Promote(operands, op.promotion.integer_to_float);
}

// Applies the rule to metadata; an absent input is null.
absl::StatusOr<DataType> PromotedDtype(
    const OpInfo& op, const ArgList<const TensorSpec* const>& inputs);

}  // namespace switchyard::phi::promotion

#endif  // SWITCHYARD_PHI_PROMOTION_OP_PROMOTION_H_
