// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/normalization/channel_norms.h"

#include <algorithm>
#include <string>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/gradient.h"

namespace switchyard::phi {
namespace {

// Checks x, and returns the axis of its channels.
absl::StatusOr<int> ChannelAxis(const TensorSpec& x,
                                std::string_view data_format) {
  constexpr std::string_view kFirst[] = {"NCHW", "NCL", "NCDHW", "AnyLayout"};
  constexpr std::string_view kLast[] = {"NHWC", "NLC", "NDHWC"};
  const auto has = [data_format](const auto& names) {
    return std::find(std::begin(names), std::end(names), data_format) !=
           std::end(names);
  };
  if (!has(kFirst) && !has(kLast)) {
    return ArgumentError("data_format", "\"NCHW\" or \"NHWC\"",
                         Quoted(data_format));
  }
  if (!IsFloating(x.dtype)) {
    return TypeError("x", "of a floating dtype", Name(x.dtype));
  }
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 2));
  return has(kLast) ? x.shape.rank() - 1 : 1;
}

absl::Status CheckParameter(std::string_view argument,
                            const TensorSpec* parameter, const TensorSpec& x,
                            Dim channels) {
  if (parameter == nullptr) return absl::OkStatus();
  if (parameter->dtype != x.dtype) {
    SY_RETURN_IF_ERROR(CheckDtype(argument, *parameter, StateDtype(x.dtype)));
  }
  return CheckShape(argument, *parameter, Shape({channels}));
}

absl::Status SetOutputs(const TensorSpec& x, const Shape& statistics,
                        TensorSpec* out, TensorSpec* mean,
                        TensorSpec* variance) {
  const DataType dtype = StateDtype(x.dtype);
  SY_RETURN_IF_ERROR(SetOutput(mean, dtype, statistics));
  SY_RETURN_IF_ERROR(SetOutput(variance, dtype, statistics));
  return UnchangedInferMeta(x, out);
}

// Sets the gradient of scale or bias.
absl::Status SetParameterGrad(const TensorSpec* parameter, const TensorSpec& x,
                              Dim channels, TensorSpec* grad) {
  if (parameter != nullptr) return UnchangedInferMeta(*parameter, grad);
  return SetOutput(grad, StateDtype(x.dtype), Shape({channels}));
}

}  // namespace

absl::Status GroupNormInferMeta(const TensorSpec& x, const TensorSpec* scale,
                                const TensorSpec* bias, double /*epsilon*/,
                                int groups, std::string_view data_format,
                                TensorSpec* out, TensorSpec* mean,
                                TensorSpec* variance) {
  SY_ASSIGN_OR_RETURN(const int axis, ChannelAxis(x, data_format));
  const Dim channels = x.shape[axis];
  if (!channels.known()) {
    return ArgumentError("x", "of known channels", ToString(x.shape));
  }
  if (groups < 1 || channels.value() % groups != 0) {
    return ArgumentError(
        "groups", "a divisor of the channels (" + ToString(channels) + ")",
        std::to_string(groups));
  }
  SY_RETURN_IF_ERROR(CheckParameter("scale", scale, x, channels));
  SY_RETURN_IF_ERROR(CheckParameter("bias", bias, x, channels));
  return SetOutputs(x, Shape({x.shape[0], Dim(groups)}), out, mean, variance);
}

absl::Status InstanceNormInferMeta(const TensorSpec& x, const TensorSpec* scale,
                                   const TensorSpec* bias, double /*epsilon*/,
                                   TensorSpec* out, TensorSpec* saved_mean,
                                   TensorSpec* saved_variance) {
  SY_ASSIGN_OR_RETURN(const int axis, ChannelAxis(x, "NCHW"));
  SY_RETURN_IF_ERROR(CheckParameter("scale", scale, x, x.shape[axis]));
  SY_RETURN_IF_ERROR(CheckParameter("bias", bias, x, x.shape[axis]));
  SY_ASSIGN_OR_RETURN(const Dim count, Product(x.shape.dims().subspan(0, 2)));
  return SetOutputs(x, Shape({count}), out, saved_mean, saved_variance);
}

absl::Status GroupNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& mean, const TensorSpec& variance,
    const TensorSpec& out_grad, const TensorSpec* mean_grad,
    const TensorSpec* variance_grad, double epsilon, int groups,
    std::string_view data_format, TensorSpec* x_grad, TensorSpec* scale_grad,
    TensorSpec* bias_grad) {
  TensorSpec out, statistics;
  SY_RETURN_IF_ERROR(GroupNormInferMeta(x, scale, bias, epsilon, groups,
                                        data_format, &out, &statistics,
                                        &statistics));
  SY_RETURN_IF_ERROR(CheckInferred("mean", mean, statistics));
  SY_RETURN_IF_ERROR(CheckInferred("variance", variance, statistics));
  SY_RETURN_IF_ERROR(CheckInferred("out_grad", out_grad, out));
  SY_RETURN_IF_ERROR(CheckInferred("mean_grad", mean_grad, statistics));
  SY_RETURN_IF_ERROR(CheckInferred("variance_grad", variance_grad, statistics));
  SY_ASSIGN_OR_RETURN(const int axis, ChannelAxis(x, data_format));
  const Dim channels = x.shape[axis];
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  SY_RETURN_IF_ERROR(SetParameterGrad(scale, x, channels, scale_grad));
  return SetParameterGrad(bias, x, channels, bias_grad);
}

absl::Status InstanceNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& saved_mean, const TensorSpec& saved_variance,
    const TensorSpec& out_grad, const TensorSpec* saved_mean_grad,
    const TensorSpec* saved_variance_grad, double epsilon, TensorSpec* x_grad,
    TensorSpec* scale_grad, TensorSpec* bias_grad) {
  TensorSpec out, statistics;
  SY_RETURN_IF_ERROR(InstanceNormInferMeta(x, scale, bias, epsilon, &out,
                                           &statistics, &statistics));
  SY_RETURN_IF_ERROR(CheckInferred("saved_mean", saved_mean, statistics));
  SY_RETURN_IF_ERROR(
      CheckInferred("saved_variance", saved_variance, statistics));
  SY_RETURN_IF_ERROR(CheckInferred("out_grad", out_grad, out));
  SY_RETURN_IF_ERROR(
      CheckInferred("saved_mean_grad", saved_mean_grad, statistics));
  SY_RETURN_IF_ERROR(
      CheckInferred("saved_variance_grad", saved_variance_grad, statistics));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  SY_RETURN_IF_ERROR(SetParameterGrad(scale, x, x.shape[1], scale_grad));
  return SetParameterGrad(bias, x, x.shape[1], bias_grad);
}

}  // namespace switchyard::phi
