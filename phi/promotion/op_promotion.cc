// SPDX-License-Identifier: Apache-2.0
#include "phi/promotion/op_promotion.h"

#include "absl/container/inlined_vector.h"
#include "phi/promotion/promotion.h"

namespace switchyard::phi::promotion {
namespace {

// Calls `visit(argument, meta)` for each tensor under the rule.
template <typename Visit>
void ForEachPromoted(const OpInfo& op,
                     const ArgList<const MetaTensor* const>& inputs,
                     Visit visit) {
  for (const auto [argument, slot, input] : inputs) {
    if (input != nullptr && IsPromoted(op, argument)) visit(argument, *input);
  }
}

}  // namespace

absl::StatusOr<DataType> PromotedDtype(
    const OpInfo& op, const ArgList<const MetaTensor* const>& inputs) {
  if (op.promotion.inputs == 0) return DataType::kUndefined;
  // Nearly every call mixes nothing; it shall not pay for those that do.
  DataType first = DataType::kUndefined;
  bool mixed = false;
  ForEachPromoted(op, inputs, [&](int, const MetaTensor& meta) {
    if (first == DataType::kUndefined) first = meta.dtype;
    mixed |= meta.dtype != first;
  });
  const bool to_float = op.promotion.integer_to_float && IsInteger(first);
  if (!mixed && !to_float) return DataType::kUndefined;

  absl::InlinedVector<Operand, 8> operands;
  ForEachPromoted(op, inputs, [&](int argument, const MetaTensor& meta) {
    operands.push_back(
        {op.inputs[argument].name, meta.dtype, meta.shape.rank() == 0});
  });
  return Promote(operands, op.promotion.integer_to_float);
}

}  // namespace switchyard::phi::promotion
