// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators to whom the order of the elements along an axis
// matters: running sums and sorting. On a scalar axis 0 and -1 are legal.
#ifndef SWITCHYARD_PHI_INFERMETA_ORDERING_H_
#define SWITCHYARD_PHI_INFERMETA_ORDERING_H_

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// out: as x; one axis of all elements where `flatten` (`axis` is ignored then).
absl::Status CumsumInferMeta(const MetaTensor& x, int axis, bool flatten,
                             bool exclusive, bool reverse, MetaTensor* out);

// x_grad: as x. out_grad: as CumsumInferMeta says.
absl::Status CumsumGradInferMeta(const MetaTensor& x,
                                 const MetaTensor& out_grad, int axis,
                                 bool flatten, bool exclusive, bool reverse,
                                 MetaTensor* x_grad);

// out: x's dtype, extent k, in [0, extent], along `axis`; indices: the same in
// int64. A scalar has one element along its axis.
absl::Status TopkInferMeta(const MetaTensor& x, int k, int axis, bool largest,
                           bool sorted, MetaTensor* out, MetaTensor* indices);

// out: as x; indices: the same in int64.
absl::Status ArgsortInferMeta(const MetaTensor& x, int axis, bool descending,
                              bool stable, MetaTensor* out,
                              MetaTensor* indices);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ORDERING_H_
