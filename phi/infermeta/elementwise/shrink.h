// SPDX-License-Identifier: Apache-2.0
// InferMeta of activations that take a threshold from the magnitude of their
// elements: softshrink, hardshrink. Others of one tensor are in elementwise.h.
#ifndef SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_SHRINK_H_
#define SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_SHRINK_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x. ArgumentError for a threshold below 0, or NaN.
absl::Status ShrinkInferMeta(const TensorSpec& x, double threshold,
                             TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_SHRINK_H_
