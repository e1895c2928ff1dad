// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators to whom the order of the elements along an axis
// matters: running sums and sorting. On a scalar axis 0 and -1 are legal.
#ifndef SWITCHYARD_PHI_INFERMETA_ORDERING_ORDERING_H_
#define SWITCHYARD_PHI_INFERMETA_ORDERING_ORDERING_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x; one axis of all elements where `flatten` (`axis` is ignored then).
absl::Status CumsumInferMeta(const TensorSpec& x, AttrValue axis, bool flatten,
                             bool exclusive, bool reverse, TensorSpec* out);

// out: x's dtype, extent k, in [0, extent], along `axis`; indices: the same in
// int64. A scalar has one element along its axis.
absl::Status TopkInferMeta(const TensorSpec& x, AttrValue k, int axis,
                           bool largest, bool sorted, TensorSpec* out,
                           TensorSpec* indices);

// out: as x; indices: the same in int64.
absl::Status ArgsortInferMeta(const TensorSpec& x, int axis, bool descending,
                              bool stable, TensorSpec* out,
                              TensorSpec* indices);

// out: as x [batch, a, b, c]; indexes: of slices along `axis`, 1 to 3.
absl::Status SimilarityFocusInferMeta(const TensorSpec& x, int axis,
                                      absl::Span<const int> indexes,
                                      TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ORDERING_ORDERING_H_
