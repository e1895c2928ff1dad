// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/normalization/channel_norms.h"

#include <algorithm>
#include <string>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

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

}  // namespace switchyard::phi
