// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that replace a slice or elements of a tensor.
#ifndef SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_ASSIGNMENT_H_
#define SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_ASSIGNMENT_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/scalar.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x. The value, a tensor or `values` of `shape`, broadcasts to the
// slice without `decrease_axes`, whose extents there are 1, and with axes put
// in before those of `none_axes`, which ascend.
absl::Status SetValueInferMeta(
    const TensorSpec& x, const TensorSpec* value_tensor,
    absl::Span<const int64_t> axes, AttrValues starts, AttrValues ends,
    AttrValues steps, absl::Span<const int64_t> decrease_axes,
    absl::Span<const int64_t> none_axes, absl::Span<const int64_t> shape,
    absl::Span<const Scalar> values, TensorSpec* out);

// x_grad as out_grad, which looks as x; value_tensor_grad as value_tensor,
// which SetValueInferMeta takes beside such an x (either may be null).
absl::Status SetValueGradInferMeta(
    const TensorSpec* value_tensor, const TensorSpec& out_grad,
    absl::Span<const int64_t> axes, AttrValues starts, AttrValues ends,
    AttrValues steps, absl::Span<const int64_t> decrease_axes,
    absl::Span<const int64_t> none_axes, TensorSpec* x_grad,
    TensorSpec* value_tensor_grad);

// out: as arr. indices: of arr's rank, with no larger extents beside axis.
// values: arr's dtype, indices' shape. reduce: "assign", "add", "mul",
// "multiply", "mean", "amin" or "amax".
absl::Status LegacyPutAlongAxisInferMeta(const TensorSpec& arr,
                                         const TensorSpec& indices,
                                         const TensorSpec& values, int axis,
                                         std::string_view reduce,
                                         bool include_self, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_ASSIGNMENT_H_
