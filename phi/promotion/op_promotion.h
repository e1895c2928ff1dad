// SPDX-License-Identifier: Apache-2.0
// The promotion rule of an operator (`promote:` in YAML), applied to the
// metadata of one call. Eager, dispatch and the static graph's builder all ask
// here and then cast; the rules for dtypes are in phi/promotion/promotion.h.
#ifndef SWITCHYARD_PHI_PROMOTION_OP_PROMOTION_H_
#define SWITCHYARD_PHI_PROMOTION_OP_PROMOTION_H_

#include "framework/tensor/meta_tensor.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::promotion {

// Whether the operator's rule names input number `argument`.
constexpr bool IsPromoted(const OpInfo& op, int argument) {
  return (op.promotion.inputs >> argument & 1u) != 0;
}

// The dtype that every input under the rule must be cast to where it has
// another one; kUndefined if nothing is to be done (no rule, or all have it).
// An absent input is null. TypeError (without the operator's name) if the
// dtypes can't be mixed.
absl::StatusOr<DataType> PromotedDtype(
    const OpInfo& op, const ArgList<const MetaTensor* const>& inputs);

}  // namespace switchyard::phi::promotion

#endif  // SWITCHYARD_PHI_PROMOTION_OP_PROMOTION_H_
