// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that add, drop or join axes, repeat, pad or turn a
// tensor round. Those older than it are in manipulation.h; those that take
// index tensors in indexing.h.
#ifndef SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_ARRANGEMENT_H_
#define SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_ARRANGEMENT_H_

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
// stay. An unknown extent along an axis that is named counts as 1: somebody who
// names it expects that (where it turns out otherwise, the result contradicts
// the program). So does an axis that a program supplies. Where all axes are
// meant, an unknown extent counts as another than 1.
absl::Status SqueezeInferMeta(const TensorSpec& x, AttrValues axis,
                              TensorSpec* out);

// out: an axis of extent 1 put in for each entry of `axis`, in turn: each is a
// position in the shape as it is by then, [-rank - 1, rank].
absl::Status UnsqueezeInferMeta(const TensorSpec& x, AttrValues axis,
                                TensorSpec* out);

// out: a new axis `axis`, in [-rank - 1, rank], of as many elements as there
// are tensors, which have one dtype and shape.
absl::Status StackInferMeta(MetaList x, int axis, TensorSpec* out);

// out: each extent times its entry of `repeat_times` (none negative), the
// shorter of the two filled up with ones in front.
absl::Status TileInferMeta(const TensorSpec& x, AttrValues repeat_times,
                           TensorSpec* out);

// out: extent i grown by paddings[2 * i] + paddings[2 * i + 1], none negative.
absl::Status PadInferMeta(const TensorSpec& x, AttrValues paddings,
                          const Scalar& pad_value, TensorSpec* out);

// out: as x. No axis twice.
absl::Status FlipInferMeta(const TensorSpec& x, absl::Span<const int> axis,
                           TensorSpec* out);

// out: int64, one element for each axis of input.
absl::Status ShapeInferMeta(const TensorSpec& input, TensorSpec* out);

// out: int64 of rank 0. input: has the axis.
absl::Status ExtentInferMeta(const TensorSpec& input, int axis,
                             TensorSpec* out);

// Returns `shape` without `axes`, of each of which one element must be left:
// errors name them decrease_axis.
absl::StatusOr<Shape> WithoutAxes(const Shape& shape,
                                  absl::Span<const int64_t> axes);

// out: as many elements of axis axes[i] as StridedRange says; without the axes
// `decrease_axis`, each of which has one by then. No axis twice, no stride 0.
absl::Status StridedSliceInferMeta(const TensorSpec& x,
                                   absl::Span<const int64_t> axes,
                                   AttrValues starts, AttrValues ends,
                                   AttrValues strides,
                                   absl::Span<const int64_t> decrease_axis,
                                   TensorSpec* out);

// out: as x. shifts: as many as axes, or one where there is no axis.
absl::Status RollInferMeta(const TensorSpec& x, AttrValues shifts,
                           absl::Span<const int64_t> axis, TensorSpec* out);

// out: x's shape without the two axes, which differ, and with one for their
// diagonal at the end.
absl::Status DiagonalInferMeta(const TensorSpec& x, int offset, int axis1,
                               int axis2, TensorSpec* out);

// out: a list for a matrix, a square matrix for a list.
absl::Status DiagInferMeta(const TensorSpec& x, int offset,
                           double padding_value, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_ARRANGEMENT_H_
