// SPDX-License-Identifier: Apache-2.0
// InferMeta of running products, extremes and sums of exponentials.
#ifndef SWITCHYARD_PHI_INFERMETA_ORDERING_SCAN_H_
#define SWITCHYARD_PHI_INFERMETA_ORDERING_SCAN_H_

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x.
absl::Status CumprodInferMeta(const TensorSpec& x, int dim, bool exclusive,
                              bool reverse, TensorSpec* out);

// out: as x. indices: of dtype, int32 or int64, and x's shape.
absl::Status CummaxInferMeta(const TensorSpec& x, int axis, DataType dtype,
                             TensorSpec* out, TensorSpec* indices);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ORDERING_SCAN_H_
