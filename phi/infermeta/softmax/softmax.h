// SPDX-License-Identifier: Apache-2.0
// InferMeta of the softmax family; elementwise activations are in
// phi/infermeta/elementwise/elementwise.h.
#ifndef SWITCHYARD_PHI_INFERMETA_SOFTMAX_SOFTMAX_H_
#define SWITCHYARD_PHI_INFERMETA_SOFTMAX_SOFTMAX_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x. axis in [-rank, rank); a scalar has one axis.
absl::Status SoftmaxInferMeta(const TensorSpec& x, int axis, TensorSpec* out);

// x_grad: as out. out_grad must have out's dtype and shape; axis as above.
absl::Status SoftmaxGradInferMeta(const TensorSpec& out,
                                  const TensorSpec& out_grad, int axis,
                                  TensorSpec* x_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SOFTMAX_SOFTMAX_H_
