// SPDX-License-Identifier: Apache-2.0
#include "phi/promotion/op_promotion.h"

namespace switchyard::phi::promotion {

absl::StatusOr<DataType> PromotedDtype(
    const OpInfo& op, const ArgList<const TensorSpec* const>& inputs) {
  return PromotedDtype(op, inputs, [](const TensorSpec* meta) {
    return meta == nullptr ? InputType()
                           : InputType{meta->dtype, meta->shape.rank() == 0};
  });
}

}  // namespace switchyard::phi::promotion
