// SPDX-License-Identifier: Apache-2.0
// InferMeta of lerp, a blend of three tensors that broadcast. Operators of two
// are in elementwise.h.
#ifndef SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_LERP_H_
#define SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_LERP_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: x's dtype, the shape that all three broadcast to. y and weight must be
// of x's dtype.
absl::Status LerpInferMeta(const TensorSpec& x, const TensorSpec& y,
                           const TensorSpec& weight, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_LERP_H_
