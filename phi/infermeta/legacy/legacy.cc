// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/legacy/legacy.h"

#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/data_movement/arrangement.h"
#include "phi/infermeta/data_movement/manipulation.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/nn/nn.h"

namespace switchyard::phi {

namespace {

// `meta` with axes of extent 1 after its own, so that these stand at `axis` of
// a tensor of `rank`.
TensorSpec AlignedAt(const TensorSpec& meta, int axis, int rank) {
  TensorSpec aligned = meta;
  const int room = rank - axis;
  while (aligned.shape.rank() < room) aligned.shape.push_back(1);
  return aligned;
}

}  // namespace

absl::Status AlignedInferMeta(const TensorSpec& x, const TensorSpec& y,
                              int axis, TensorSpec* out) {
  const int x_rank = x.shape.rank(), y_rank = y.shape.rank();
  const int last = x_rank < y_rank ? y_rank - x_rank : x_rank - y_rank;
  if (axis < -1 || axis > last) {
    return RangeError("axis", "-1 or in [0, " + std::to_string(last) + "]",
                      std::to_string(axis));
  }
  if (axis == -1 || last == 0) return BroadcastInferMeta(x, y, out);
  if (x_rank < y_rank) {
    return BroadcastInferMeta(AlignedAt(x, axis, y_rank), y, out);
  }
  return BroadcastInferMeta(x, AlignedAt(y, axis, x_rank), out);
}

absl::Status AlignedGradInferMeta(const TensorSpec& x, const TensorSpec& y,
                                  const TensorSpec& out_grad, int axis,
                                  TensorSpec* x_grad, TensorSpec* y_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(AlignedInferMeta(x, y, axis, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  return UnchangedInferMeta(y, y_grad);
}

absl::Status AlignedGradOfOutInferMeta(const TensorSpec& x, const TensorSpec& y,
                                       const TensorSpec& out,
                                       const TensorSpec& out_grad, int axis,
                                       TensorSpec* x_grad, TensorSpec* y_grad) {
  SY_RETURN_IF_ERROR(
      AlignedGradInferMeta(x, y, out_grad, axis, x_grad, y_grad));
  return CheckLike("out", out, out_grad);
}

absl::Status ElementwiseAddInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     int axis, TensorSpec* out) {
  TensorSpec a = x, b = y;
  // The other one is complex, of parts like the real one's elements.
  if (IsComplex(y.dtype) && RealOf(y.dtype) == x.dtype) a.dtype = y.dtype;
  if (IsComplex(x.dtype) && RealOf(x.dtype) == y.dtype) b.dtype = x.dtype;
  return AlignedInferMeta(a, b, axis, out);
}

absl::Status LookupTableInferMeta(const TensorSpec& w, const TensorSpec& ids,
                                  int64_t padding_idx, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("ids", ids, DataType::kInt64));
  const int rank = ids.shape.rank();
  if (rank == 0 || !MayEqual(ids.shape[rank - 1], Dim(1))) {
    return ArgumentError("ids", "of extent 1 along the last axis",
                         ToString(ids.shape));
  }
  TensorSpec x = ids;
  x.shape.resize(rank - 1);
  SY_RETURN_IF_ERROR(EmbeddingInferMeta(x, w, padding_idx, out));
  if (out != nullptr) out->lod_levels = ids.lod_levels;
  return absl::OkStatus();
}

absl::Status Flatten2InferMeta(const TensorSpec& x, int axis, TensorSpec* out) {
  const int rank = x.shape.rank();
  if (axis < -rank || axis > rank) {
    return RangeError(
        "axis",
        "in [" + std::to_string(-rank) + ", " + std::to_string(rank) + "]",
        std::to_string(axis));
  }
  if (rank == 0) return SetOutput(out, x.dtype, Shape({1}));
  const int split = axis < 0 ? axis + rank : axis;
  SY_ASSIGN_OR_RETURN(const Dim rows, Product(x.shape.dims().first(split)));
  SY_ASSIGN_OR_RETURN(const Dim columns,
                      Product(x.shape.dims().subspan(split)));
  return SetOutput(out, x.dtype, Shape({rows, columns}));
}

absl::Status LegacySliceInferMeta(const TensorSpec& input,
                                  absl::Span<const int64_t> axes,
                                  AttrValues starts, AttrValues ends,
                                  absl::Span<const int64_t> decrease_axis,
                                  TensorSpec* out) {
  TensorSpec sliced;
  SY_RETURN_IF_ERROR(SliceInferMeta(input, axes, starts, ends, &sliced));
  SY_ASSIGN_OR_RETURN(const Shape kept,
                      WithoutAxes(sliced.shape, decrease_axis));
  return SetOutput(out, input.dtype, kept);
}

}  // namespace switchyard::phi
