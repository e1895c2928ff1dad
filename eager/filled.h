// SPDX-License-Identifier: Apache-2.0
// MakeFilled: a tensor of one number, by the operator `full`: the first
// gradient of a backward run and those that never came.
#ifndef SWITCHYARD_EAGER_FILLED_H_
#define SWITCHYARD_EAGER_FILLED_H_

#include "eager/eager_op.h"
#include "eager/tensor.h"

namespace switchyard::eager {

// On the thread's default place; requires shape.known().
absl::StatusOr<Tensor> MakeFilled(const AutogradOps& ops, const Shape& shape,
                                  DataType dtype, double value);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_FILLED_H_
