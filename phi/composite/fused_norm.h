// SPDX-License-Identifier: Apache-2.0
// Norms of what is added to a stream of activations, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_FUSED_NORM_H_
#define SWITCHYARD_PHI_COMPOSITE_FUSED_NORM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_fused_norm.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/row_scale.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace fused_norm {

// A list with a number for each element of the axes of x from `begin` on,
// reshaped to these axes.
inline Value AlongAxes(Ops& ops, std::string_view argument, const Value& list,
                       const Value& x, int begin) {
  const Shape shape = ops.shape(x);
  std::vector<int64_t> extents;
  for (int i = begin; i < shape.rank(); ++i) {
    extents.push_back(shape[i].known() ? shape[i].value() : -1);
  }
  if (!CanReshapeTo(extents)) ops.Fail(UnknownShapeError(argument));
  return extents.size() == 1 ? list : ReshapeTo(ops, list, extents);
}

// A sum x + bias + residual_alpha * residual, to be normalized.
struct Terms {
  Value x;
  Value bias;
  Value residual;
  float residual_alpha;
  int begin_norm_axis;
  float quant_scale;
};

// Checks the attributes and returns the sum.
inline Value Added(Ops& ops, const Terms& terms) {
  const int rank = ops.shape(terms.x).rank();
  if (terms.begin_norm_axis < 1 || terms.begin_norm_axis >= rank) {
    ops.Fail(RangeError("begin_norm_axis",
                        "in [1, " + std::to_string(rank) + ")",
                        std::to_string(terms.begin_norm_axis)));
  }
  if (terms.quant_scale > 0) {
    ops.Fail(ArgumentError("quant_scale",
                           "0 or less, since results are not quantised",
                           std::to_string(terms.quant_scale)));
  }
  Value sum = terms.x;
  if (ops.defined(terms.bias)) {
    sum = op::add(
        ops, sum,
        AlongAxes(ops, "x", terms.bias, terms.x, terms.begin_norm_axis));
  }
  if (!ops.defined(terms.residual)) return sum;
  if (!MayEqual(ops.shape(terms.residual), ops.shape(terms.x))) {
    ops.Fail(ArgumentError("residual",
                           "of shape " + ToString(ops.shape(terms.x)),
                           ToString(ops.shape(terms.residual))));
  }
  return op::add(ops, sum, Times(ops, terms.residual, terms.residual_alpha));
}

}  // namespace fused_norm

// layer_norm of a sum.
inline void FusedBiasResidualLayernorm(
    Ops& ops, const Value& x, const Value& bias, const Value& residual,
    const Value& norm_weight, const Value& norm_bias, float epsilon,
    float residual_alpha, int begin_norm_axis, float quant_scale, int, float,
    float, Value* out, Value* residual_out, Value* mean, Value* variance) {
  const Value sum = fused_norm::Added(
      ops, {x, bias, residual, residual_alpha, begin_norm_axis, quant_scale});
  if (residual_out != nullptr) *residual_out = sum;
  const auto normed = op::layer_norm(ops, sum, norm_weight, norm_bias, epsilon,
                                     begin_norm_axis);
  if (out != nullptr) *out = normed[0];
  if (mean != nullptr) *mean = normed[1];
  if (variance != nullptr) *variance = normed[2];
}

// A sum, divided by the root of the mean of its squares; in float32 at least.
inline void FusedRmsNormQuant(Ops& ops, const Value& x, const Value& bias,
                              const Value& residual, const Value& norm_weight,
                              const Value& norm_bias, float epsilon,
                              int begin_norm_axis, float quant_scale, int,
                              float, float, Value* out, Value* residual_out) {
  const Value sum = fused_norm::Added(
      ops, {x, bias, residual, 1.0f, begin_norm_axis, quant_scale});
  if (residual_out != nullptr) *residual_out = sum;
  const DataType dtype = ops.dtype(x);
  const bool narrow =
      dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
  const Value wide = narrow ? op::cast(ops, sum, DataType::kFloat32) : sum;
  std::vector<int64_t> axes;
  for (int i = begin_norm_axis; i < ops.shape(x).rank(); ++i) axes.push_back(i);
  if (out == nullptr) return;
  const auto power = [&](const Value& rows) {
    return op::mean(ops, op::square(ops, rows), axes, /*keepdim=*/true);
  };
  const RowScale scale = ScaleOfRows(ops, power(wide), epsilon);
  const Value rows = op::multiply(ops, wide, scale.factor);
  const Value factor = op::rsqrt(ops, op::add(ops, power(rows), scale.epsilon));
  const Value normed = op::multiply(ops, rows, factor);
  Value result = narrow ? op::cast(ops, normed, ops.dtype(x)) : normed;
  result = op::multiply(
      ops, result,
      fused_norm::AlongAxes(ops, "x", norm_weight, x, begin_norm_axis));
  if (ops.defined(norm_bias)) {
    result =
        op::add(ops, result,
                fused_norm::AlongAxes(ops, "x", norm_bias, x, begin_norm_axis));
  }
  *out = result;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FUSED_NORM_H_
