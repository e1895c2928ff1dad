// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/legacy.h"

#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise.h"
#include "phi/infermeta/nn.h"

namespace switchyard::phi {

absl::Status ElementwiseAddInferMeta(const MetaTensor& x, const MetaTensor& y,
                                     int axis, MetaTensor* out) {
  if (axis == -1) return BroadcastInferMeta(x, y, out);
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  const int last = x.shape.rank() - y.shape.rank();
  if (axis < 0 || axis > last) {
    return RangeError("axis", "-1 or in [0, " + std::to_string(last) + "]",
                      std::to_string(axis));
  }
  for (int i = 0; i < y.shape.rank(); ++i) {
    if (y.shape[i] != Dim(1) && !MayEqual(y.shape[i], x.shape[axis + i])) {
      return ArgumentError(
          "y",
          "such that its axes fit those of x from axis " + std::to_string(axis),
          ToString(y.shape) + " for x " + ToString(x.shape));
    }
  }
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status ElementwiseAddGradInferMeta(const MetaTensor& x,
                                         const MetaTensor& y,
                                         const MetaTensor& out_grad, int axis,
                                         MetaTensor* x_grad,
                                         MetaTensor* y_grad) {
  MetaTensor out;
  SY_RETURN_IF_ERROR(ElementwiseAddInferMeta(x, y, axis, &out));
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", out_grad, x.dtype));
  SY_RETURN_IF_ERROR(CheckShape("out_grad", out_grad, out.shape));
  return BinaryGradInferMeta(x, y, x_grad, y_grad);
}

absl::Status LookupTableInferMeta(const MetaTensor& w, const MetaTensor& ids,
                                  int64_t padding_idx, MetaTensor* out) {
  SY_RETURN_IF_ERROR(CheckDtype("ids", ids, DataType::kInt64));
  const int rank = ids.shape.rank();
  if (rank == 0 || !MayEqual(ids.shape[rank - 1], Dim(1))) {
    return ArgumentError("ids", "of extent 1 along the last axis",
                         ToString(ids.shape));
  }
  MetaTensor x = ids;
  x.shape.resize(rank - 1);
  SY_RETURN_IF_ERROR(EmbeddingInferMeta(x, w, padding_idx, out));
  if (out != nullptr) out->lod_levels = ids.lod_levels;
  return absl::OkStatus();
}

absl::Status LookupTableGradInferMeta(const MetaTensor& w,
                                      const MetaTensor& ids,
                                      const MetaTensor& out_grad,
                                      int64_t padding_idx, MetaTensor* w_grad) {
  MetaTensor out;
  SY_RETURN_IF_ERROR(LookupTableInferMeta(w, ids, padding_idx, &out));
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", out_grad, w.dtype));
  SY_RETURN_IF_ERROR(CheckShape("out_grad", out_grad, out.shape));
  return UnchangedInferMeta(w, w_grad);
}

}  // namespace switchyard::phi
