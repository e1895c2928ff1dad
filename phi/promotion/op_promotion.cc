// SPDX-License-Identifier: Apache-2.0
#include "phi/promotion/op_promotion.h"

#include "absl/container/inlined_vector.h"
#include "phi/promotion/promotion.h"

namespace switchyard::phi::promotion {
namespace {

// Calls `visit(argument, meta)` for each tensor under the rule.
template <typename Visit>
void ForEachPromoted(const OpInfo& op,
                     absl::Span<const MetaTensor* const> inputs,
                     const Slots& slots, Visit visit) {
  for (int argument = 0; argument < slots.arguments(); ++argument) {
    if (!IsPromoted(op, argument)) continue;
    const int end = slots.end(argument);
    for (int slot = slots.begin(argument); slot < end; ++slot) {
      if (inputs[slot] != nullptr) visit(argument, *inputs[slot]);
    }
  }
}

}  // namespace

absl::StatusOr<DataType> PromotedDtype(
    const OpInfo& op, absl::Span<const MetaTensor* const> inputs,
    const Slots& slots) {
  if (op.promotion.inputs == 0) return DataType::kUndefined;
  // Nearly every call mixes nothing; it shall not pay for those that do.
  DataType first = DataType::kUndefined;
  bool mixed = false;
  ForEachPromoted(op, inputs, slots, [&](int, const MetaTensor& meta) {
    if (first == DataType::kUndefined) first = meta.dtype;
    mixed |= meta.dtype != first;
  });
  const bool to_float = op.promotion.integer_to_float && IsInteger(first);
  if (!mixed && !to_float) return DataType::kUndefined;

  absl::InlinedVector<Operand, 8> operands;
  ForEachPromoted(op, inputs, slots, [&](int argument, const MetaTensor& meta) {
    operands.push_back(
        {op.inputs[argument].name, meta.dtype, meta.shape.rank() == 0});
  });
  return Promote(operands, op.promotion.integer_to_float);
}

}  // namespace switchyard::phi::promotion
