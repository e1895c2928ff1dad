// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that exist for old programs.
#ifndef SWITCHYARD_PHI_INFERMETA_LEGACY_LEGACY_H_
#define SWITCHYARD_PHI_INFERMETA_LEGACY_LEGACY_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as BroadcastInferMeta, where the axes of the operand of smaller rank
// stand at axis, axis + 1, ... of the other (-1: at its last ones).
absl::Status AlignedInferMeta(const TensorSpec& x, const TensorSpec& y,
                              int axis, TensorSpec* out);

// x_grad as x, y_grad as y (either may be null). out_grad: as AlignedInferMeta
// says.
absl::Status AlignedGradInferMeta(const TensorSpec& x, const TensorSpec& y,
                                  const TensorSpec& out_grad, int axis,
                                  TensorSpec* x_grad, TensorSpec* y_grad);

// Does what AlignedGradInferMeta does, for a gradient that takes the result
// too: `out` is like out_grad.
absl::Status AlignedGradOfOutInferMeta(const TensorSpec& x, const TensorSpec& y,
                                       const TensorSpec& out,
                                       const TensorSpec& out_grad, int axis,
                                       TensorSpec* x_grad, TensorSpec* y_grad);

// Does what AlignedInferMeta does, where one operand may be real and the other
// complex of the same precision: out is complex then.
absl::Status ElementwiseAddInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     int axis, TensorSpec* out);

// ids: int64 with last extent 1. w: [height, width]. out: ids' shape with width
// instead of that 1, ids' levels of detail, w's dtype.
absl::Status LookupTableInferMeta(const TensorSpec& w, const TensorSpec& ids,
                                  int64_t padding_idx, TensorSpec* out);

// out: a matrix of x's elements; the axes before `axis` (negative: from the
// end) are its rows. [1] for a scalar.
absl::Status Flatten2InferMeta(const TensorSpec& x, int axis, TensorSpec* out);

// out: what SliceInferMeta says, without the axes `decrease_axis`, of which one
// element is left; extents that are not known may be 1.
absl::Status LegacySliceInferMeta(const TensorSpec& input,
                                  absl::Span<const int64_t> axes,
                                  AttrValues starts, AttrValues ends,
                                  absl::Span<const int64_t> decrease_axis,
                                  TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LEGACY_LEGACY_H_
