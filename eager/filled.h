// SPDX-License-Identifier: Apache-2.0
// Tensors that autograd makes by operators: MakeFilled, one of one number (the
// first gradient of a backward run, and those that never came), and Densified.
#ifndef SWITCHYARD_EAGER_FILLED_H_
#define SWITCHYARD_EAGER_FILLED_H_

#include "eager/eager_op.h"
#include "eager/tensor.h"

namespace switchyard::eager {

// Returns a tensor on the thread's default place; requires shape.known().
absl::StatusOr<Tensor> MakeFilled(const AutogradOps& ops, const Shape& shape,
                                  DataType dtype, double value);

// The matrix that SelectedRows stand for: zeros, plus the rows. A dense tensor
// as it is.
absl::StatusOr<Tensor> Densified(const AutogradOps& ops, const Tensor& tensor);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_FILLED_H_
