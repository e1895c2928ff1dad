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

// x_grad: as x, like out_grad.
absl::Status CumprodGradInferMeta(const TensorSpec& x,
                                  const TensorSpec& out_grad, int dim,
                                  bool exclusive, bool reverse,
                                  TensorSpec* x_grad);

// x_grad: as x. out and out_grad: as CumsumInferMeta says.
absl::Status LogcumsumexpGradInferMeta(const TensorSpec& x,
                                       const TensorSpec& out,
                                       const TensorSpec& out_grad, int axis,
                                       bool flatten, bool exclusive,
                                       bool reverse, TensorSpec* x_grad);

// out: as x. indices: of dtype, int32 or int64, and x's shape.
absl::Status CummaxInferMeta(const TensorSpec& x, int axis, DataType dtype,
                             TensorSpec* out, TensorSpec* indices);

// x_grad: as x. out and out_grad: x's dtype, x's shape reduced.
absl::Status LogsumexpGradInferMeta(const TensorSpec& x, const TensorSpec& out,
                                    const TensorSpec& out_grad, AttrValues axis,
                                    bool keepdim, TensorSpec* x_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ORDERING_SCAN_H_
