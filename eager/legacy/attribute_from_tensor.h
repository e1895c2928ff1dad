// SPDX-License-Identifier: Apache-2.0
// AttributeFromTensor: the value of an attribute that a legacy call gives as a
// tensor.
#ifndef SWITCHYARD_EAGER_LEGACY_ATTRIBUTE_FROM_TENSOR_H_
#define SWITCHYARD_EAGER_LEGACY_ATTRIBUTE_FROM_TENSOR_H_

#include <string_view>

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"

namespace switchyard::eager {

// Returns the elements of `tensors` (int32, int64, float32 or float64, on the
// CPU) as an attribute of type `to`: one element for a number, any number of
// them for a list. `slot` names them in errors. ArgumentError or TypeError for
// anything else.
absl::StatusOr<Attribute> AttributeFromTensor(std::string_view slot,
                                              absl::Span<const Tensor> tensors,
                                              AttrType to);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_LEGACY_ATTRIBUTE_FROM_TENSOR_H_
