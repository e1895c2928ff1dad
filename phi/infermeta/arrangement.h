// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that add, drop or join axes, repeat, pad or turn a
// tensor round. Those older than it are in manipulation.h; those that take
// index tensors in indexing.h.
#ifndef SWITCHYARD_PHI_INFERMETA_ARRANGEMENT_H_
#define SWITCHYARD_PHI_INFERMETA_ARRANGEMENT_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/scalar.h"
#include "phi/core/infer_meta_context.h"

namespace switchyard::phi {

// out: the extents of the axes [start_axis, stop_axis] multiplied. A scalar
// becomes one axis of extent 1.
absl::Status FlattenInferMeta(const TensorSpec& x, int start_axis,
                              int stop_axis, TensorSpec* out);

// out: without the axes of `axis` (empty: all) that have extent 1; the others
// stay. ArgumentError if one of those extents is unknown: the rank would be.
absl::Status SqueezeInferMeta(const TensorSpec& x, IntArray axis,
                              TensorSpec* out);

// out: an axis of extent 1 put in for each entry of `axis`, in turn: each is a
// position in the shape as it is by then, [-rank - 1, rank].
absl::Status UnsqueezeInferMeta(const TensorSpec& x, IntArray axis,
                                TensorSpec* out);

// out: a new axis `axis`, in [-rank - 1, rank], of as many elements as there
// are tensors, which have one dtype and shape.
absl::Status StackInferMeta(MetaList x, int axis, TensorSpec* out);

// Each x_grad as its x. out_grad: as StackInferMeta says.
absl::Status StackGradInferMeta(MetaList x, const TensorSpec& out_grad,
                                int axis, MetaOutputs x_grad);

// out: each extent times its entry of `repeat_times` (none negative), the
// shorter of the two filled up with ones in front.
absl::Status TileInferMeta(const TensorSpec& x, AttrValues repeat_times,
                           TensorSpec* out);

// x_grad: as x. out_grad: as TileInferMeta says.
absl::Status TileGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                               AttrValues repeat_times, TensorSpec* x_grad);

// out: extent i grown by paddings[2 * i] + paddings[2 * i + 1], none negative.
absl::Status PadInferMeta(const TensorSpec& x, AttrValues paddings,
                          const Scalar& pad_value, TensorSpec* out);

// x_grad: as x. out_grad: as PadInferMeta says.
absl::Status PadGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                              AttrValues paddings, TensorSpec* x_grad);

// out: as x. No axis twice.
absl::Status FlipInferMeta(const TensorSpec& x, absl::Span<const int> axis,
                           TensorSpec* out);

// out: int64, one element for each axis of input.
absl::Status ShapeInferMeta(const TensorSpec& input, TensorSpec* out);

// out: int64 of rank 0. input: has the axis.
absl::Status ExtentInferMeta(const TensorSpec& input, int axis,
                             TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ARRANGEMENT_H_
