// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/linalg/dot_attention.h"

#include <string>

#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

// The axes before the last two.
Shape BatchOf(const Shape& shape) {
  return Shape(shape.dims().subspan(0, shape.rank() - 2));
}

absl::Status CheckMatrices(std::string_view argument, const TensorSpec& meta,
                           const TensorSpec& q) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, q.dtype));
  if (meta.shape.rank() == q.shape.rank()) return absl::OkStatus();
  return ArgumentError(argument,
                       "of rank " + std::to_string(q.shape.rank()) + " as q",
                       ToString(meta.shape));
}

}  // namespace

absl::Status DotAttentionInferMeta(const TensorSpec& q, const TensorSpec& k,
                                   const TensorSpec& v, const TensorSpec* mask,
                                   TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("q", q, 2));
  SY_RETURN_IF_ERROR(CheckMatrices("k", k, q));
  SY_RETURN_IF_ERROR(CheckMatrices("v", v, q));
  const int rank = q.shape.rank(), row = rank - 2, column = rank - 1;
  if (!MayEqual(q.shape[column], k.shape[column])) {
    return ArgumentError("k",
                         "of " + ToString(q.shape[column]) + " columns as q",
                         ToString(k.shape));
  }
  SY_ASSIGN_OR_RETURN(Shape scores,
                      BroadcastShapes("k", BatchOf(q.shape), BatchOf(k.shape)));
  scores.push_back(q.shape[row]);
  scores.push_back(k.shape[row]);
  if (mask != nullptr) {
    // A half holds no mask of float32's least number.
    const bool half =
        q.dtype == DataType::kFloat16 || q.dtype == DataType::kBFloat16;
    if (!half || mask->dtype != DataType::kFloat32) {
      SY_RETURN_IF_ERROR(CheckDtype("mask", *mask, q.dtype));
    }
    if (mask->shape.rank() > rank) {
      return ArgumentError("mask",
                           "of rank " + std::to_string(rank) + " at most",
                           ToString(mask->shape));
    }
    SY_ASSIGN_OR_RETURN(scores, BroadcastShapes("mask", scores, mask->shape));
  }
  if (!MayEqual(scores[column], v.shape[row])) {
    return ArgumentError("v", "of " + ToString(scores[column]) + " rows",
                         ToString(v.shape));
  }
  SY_ASSIGN_OR_RETURN(Shape shape,
                      BroadcastShapes("v", BatchOf(scores), BatchOf(v.shape)));
  shape.push_back(scores[row]);
  shape.push_back(v.shape[column]);
  return SetOutput(out, q.dtype, shape);
}

}  // namespace switchyard::phi
