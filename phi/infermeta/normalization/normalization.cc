// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/normalization/normalization.h"

#include <cmath>
#include <string>

#include "framework/base/float_text.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/spatial.h"

namespace switchyard::phi {
namespace {

absl::Status CheckParameter(std::string_view argument, const TensorSpec& meta,
                            const TensorSpec& x, const Shape& shape) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, StateDtype(x.dtype)));
  return CheckShape(argument, meta, shape);
}

absl::Status CheckOptional(std::string_view argument, const TensorSpec* meta,
                           const TensorSpec& x, const Shape& shape) {
  return meta == nullptr ? absl::OkStatus()
                         : CheckParameter(argument, *meta, x, shape);
}

absl::Status CheckEpsilon(double epsilon) {
  if (epsilon >= 0) return absl::OkStatus();
  return ArgumentError("epsilon", "0 or more", ShortestText(epsilon));
}

// [channels] of x.
absl::StatusOr<Shape> ChannelShape(const TensorSpec& x,
                                   std::string_view data_format) {
  const int rank = x.shape.rank();
  if (rank < 2 || rank > 5) {
    return ArgumentError("x", "of rank 2 to 5", ToString(x.shape));
  }
  SY_ASSIGN_OR_RETURN(const SpatialAxes axes, ParseAxes(data_format));
  return Shape({x.shape[axes.channel == 1 ? 1 : rank - 1]});
}

struct NormShapes {
  Shape rows;   // [product of the extents before begin_norm_axis]
  Shape width;  // [product of the others]
};

absl::StatusOr<NormShapes> ShapesOf(const TensorSpec& x, int begin_norm_axis) {
  const int rank = x.shape.rank();
  if (begin_norm_axis < 1 || begin_norm_axis >= rank) {
    return RangeError("begin_norm_axis", "in [1, " + std::to_string(rank) + ")",
                      std::to_string(begin_norm_axis));
  }
  const auto dims = x.shape.dims();
  SY_ASSIGN_OR_RETURN(const Dim rows,
                      Product(dims.subspan(0, begin_norm_axis)));
  SY_ASSIGN_OR_RETURN(const Dim width, Product(dims.subspan(begin_norm_axis)));
  if (width == Dim(0) && rows != Dim(0)) {
    return ArgumentError("x", "with at least one element to normalize",
                         ToString(x.shape));
  }
  return NormShapes{Shape({rows}), Shape({width})};
}

}  // namespace

absl::Status BatchNormInferMeta(
    const TensorSpec& x, const TensorSpec& mean, const TensorSpec& variance,
    const TensorSpec* scale, const TensorSpec* bias, bool /*is_test*/,
    DoubleValue /*momentum*/, double epsilon, std::string_view data_format,
    bool /*use_global_stats*/, bool /*trainable_statistics*/, TensorSpec* out,
    TensorSpec* mean_out, TensorSpec* variance_out, TensorSpec* saved_mean,
    TensorSpec* saved_variance) {
  SY_ASSIGN_OR_RETURN(const Shape channels, ChannelShape(x, data_format));
  SY_RETURN_IF_ERROR(CheckParameter("mean", mean, x, channels));
  SY_RETURN_IF_ERROR(CheckParameter("variance", variance, x, channels));
  SY_RETURN_IF_ERROR(CheckOptional("scale", scale, x, channels));
  SY_RETURN_IF_ERROR(CheckOptional("bias", bias, x, channels));
  SY_RETURN_IF_ERROR(CheckEpsilon(epsilon));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(mean, mean_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(variance, variance_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(mean, saved_mean));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(variance, saved_variance));
  return UnchangedInferMeta(x, out);
}

absl::Status BatchNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& saved_mean, const TensorSpec& saved_variance,
    const TensorSpec& out_grad, double epsilon, std::string_view data_format,
    bool /*is_test*/, bool /*use_global_stats*/, bool /*trainable_statistics*/,
    TensorSpec* x_grad, TensorSpec* scale_grad, TensorSpec* bias_grad) {
  SY_ASSIGN_OR_RETURN(const Shape channels, ChannelShape(x, data_format));
  SY_RETURN_IF_ERROR(CheckOptional("scale", scale, x, channels));
  SY_RETURN_IF_ERROR(CheckOptional("bias", bias, x, channels));
  SY_RETURN_IF_ERROR(CheckParameter("saved_mean", saved_mean, x, channels));
  SY_RETURN_IF_ERROR(
      CheckParameter("saved_variance", saved_variance, x, channels));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, x));
  SY_RETURN_IF_ERROR(CheckEpsilon(epsilon));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(saved_mean, scale_grad));
  return UnchangedInferMeta(saved_mean, bias_grad);
}

absl::Status LayerNormInferMeta(const TensorSpec& x, const TensorSpec* scale,
                                const TensorSpec* bias, double epsilon,
                                int begin_norm_axis, TensorSpec* out,
                                TensorSpec* mean, TensorSpec* variance) {
  SY_ASSIGN_OR_RETURN(const NormShapes shapes, ShapesOf(x, begin_norm_axis));
  SY_RETURN_IF_ERROR(CheckOptional("scale", scale, x, shapes.width));
  SY_RETURN_IF_ERROR(CheckOptional("bias", bias, x, shapes.width));
  SY_RETURN_IF_ERROR(CheckEpsilon(epsilon));
  const DataType dtype = StateDtype(x.dtype);
  SY_RETURN_IF_ERROR(SetOutput(mean, dtype, shapes.rows));
  SY_RETURN_IF_ERROR(SetOutput(variance, dtype, shapes.rows));
  return UnchangedInferMeta(x, out);
}

absl::Status LayerNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& mean, const TensorSpec& variance,
    const TensorSpec& out_grad, double epsilon, int begin_norm_axis,
    TensorSpec* x_grad, TensorSpec* scale_grad, TensorSpec* bias_grad) {
  SY_ASSIGN_OR_RETURN(const NormShapes shapes, ShapesOf(x, begin_norm_axis));
  SY_RETURN_IF_ERROR(CheckOptional("scale", scale, x, shapes.width));
  SY_RETURN_IF_ERROR(CheckOptional("bias", bias, x, shapes.width));
  SY_RETURN_IF_ERROR(CheckParameter("mean", mean, x, shapes.rows));
  SY_RETURN_IF_ERROR(CheckParameter("variance", variance, x, shapes.rows));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, x));
  SY_RETURN_IF_ERROR(CheckEpsilon(epsilon));
  const DataType dtype = StateDtype(x.dtype);
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  SY_RETURN_IF_ERROR(SetOutput(scale_grad, dtype, shapes.width));
  return SetOutput(bias_grad, dtype, shapes.width);
}

absl::Status PNormInferMeta(const TensorSpec& x, double porder, int axis,
                            bool keepdim, bool asvector, TensorSpec* out) {
  if (!IsFloating(x.dtype) && !IsComplex(x.dtype)) {
    return TypeError("x", "floating or complex", Name(x.dtype));
  }
  if (std::isnan(porder)) return ArgumentError("porder", "a number", "nan");
  const int rank = x.shape.rank();
  int folded = 0;
  if (!asvector) {
    SY_ASSIGN_OR_RETURN(folded, NormalizeAxis("axis", axis, rank));
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (!asvector && i != folded) {
      shape.push_back(x.shape[i]);
    } else if (keepdim) {
      shape.push_back(Dim(1));
    }
  }
  return SetOutput(out, RealOf(x.dtype), shape);
}

}  // namespace switchyard::phi
