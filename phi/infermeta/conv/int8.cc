// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/conv/int8.h"

#include <cstdint>
#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/conv/conv.h"

namespace switchyard::phi {
namespace {

// 32 bits hold the sum of this many products of two integers of 8 bits.
constexpr int64_t kMaxProducts = int64_t{1} << 17;

absl::Status CheckFloats(std::string_view argument, const TensorSpec& meta,
                         const Shape& shape) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, DataType::kFloat32));
  return CheckShape(argument, meta, shape);
}

absl::Status CheckSums(const Shape& filter) {
  int64_t products = 1;
  for (int axis = 1; axis < filter.rank(); ++axis) {
    if (!filter[axis].known()) return absl::OkStatus();
    const int64_t extent = filter[axis].value();
    if (extent > kMaxProducts || products * extent > kMaxProducts) {
      return ArgumentError("filter",
                           "of at most " + std::to_string(kMaxProducts) +
                               " elements for each channel",
                           ToString(filter));
    }
    products *= extent;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status QuantizeDequantizeInferMeta(const TensorSpec& x,
                                         const TensorSpec& scale,
                                         int bit_length, int round_type,
                                         TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("scale", scale, x.dtype));
  if (!MayBroadcastTo(scale.shape, x.shape)) {
    return ArgumentError("scale", "broadcast to " + ToString(x.shape),
                         ToString(scale.shape));
  }
  if (bit_length < 2 || bit_length > 31) {
    return ArgumentError("bit_length", "from 2 to 31",
                         std::to_string(bit_length));
  }
  if (round_type != 0 && round_type != 1) {
    return ArgumentError("round_type", "0 or 1", std::to_string(round_type));
  }
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status QuantizeInt8InferMeta(const TensorSpec& x,
                                   const TensorSpec& factor, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("factor", factor, x.dtype));
  const bool of_slices = factor.shape.rank() == 1 && x.shape.rank() > 0 &&
                         MayEqual(factor.shape[0], x.shape[0]);
  if (!of_slices && !CheckOneElement("factor", factor).ok()) {
    return ArgumentError("factor", "one number, or one for each slice",
                         ToString(factor.shape));
  }
  return SetOutput(out, DataType::kInt8, x.shape);
}

absl::Status ConvInt8InferMeta(
    const TensorSpec& input, const TensorSpec& filter,
    const TensorSpec& multiplier, const TensorSpec* bias,
    const TensorSpec* residual, const TensorSpec* out_factor,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, absl::Span<const int> dilations,
    int groups, TensorSpec* out) {
  TensorSpec conv;
  SY_RETURN_IF_ERROR(CheckDtype("input", input, DataType::kInt8));
  SY_RETURN_IF_ERROR(ConvInferMeta(input, filter, strides, paddings,
                                   padding_algorithm, dilations, groups, "NCHW",
                                   &conv));
  SY_RETURN_IF_ERROR(CheckSums(filter.shape));
  const Shape channels({filter.shape[0]});
  SY_RETURN_IF_ERROR(CheckFloats("multiplier", multiplier, channels));
  if (bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckFloats("bias", *bias, channels));
  }
  if (residual != nullptr) {
    SY_RETURN_IF_ERROR(CheckFloats("residual", *residual, conv.shape));
  }
  if (out_factor != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtype("out_factor", *out_factor, DataType::kFloat32));
    SY_RETURN_IF_ERROR(CheckOneElement("out_factor", *out_factor));
  }
  return SetOutput(out,
                   out_factor == nullptr ? DataType::kFloat32 : DataType::kInt8,
                   conv.shape);
}

}  // namespace switchyard::phi
