// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/conv/conv_epilogue.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/conv/conv.h"
#include "phi/infermeta/conv/conv_transpose.h"

namespace switchyard::phi {
namespace {

// One number for all channels.
absl::Status CheckNumber(std::string_view argument, const TensorSpec* meta,
                         DataType dtype) {
  if (meta == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(CheckDtype(argument, *meta, dtype));
  return CheckOneElement(argument, *meta);
}

absl::Status CheckAdded(std::string_view argument, const TensorSpec* meta,
                        DataType dtype, const Shape& shape) {
  if (meta == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(CheckDtype(argument, *meta, dtype));
  return CheckShape(argument, *meta, shape);
}

}  // namespace

absl::Status ConvEpilogueInferMeta(
    const TensorSpec& input, const TensorSpec& filter, const TensorSpec* bias,
    const TensorSpec* residual, const TensorSpec* out_scale,
    const TensorSpec* out_shift, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, TensorSpec* out) {
  TensorSpec conv;
  SY_RETURN_IF_ERROR(ConvInferMeta(input, filter, strides, paddings,
                                   padding_algorithm, dilations, groups, "NCHW",
                                   &conv));
  SY_RETURN_IF_ERROR(
      CheckAdded("bias", bias, input.dtype, Shape({filter.shape[0]})));
  SY_RETURN_IF_ERROR(CheckAdded("residual", residual, input.dtype, conv.shape));
  SY_RETURN_IF_ERROR(CheckNumber("out_scale", out_scale, input.dtype));
  SY_RETURN_IF_ERROR(CheckNumber("out_shift", out_shift, input.dtype));
  return SetOutput(out, conv.dtype, conv.shape);
}

absl::Status ConvTransposeEpilogueInferMeta(
    const TensorSpec& x, const TensorSpec& filter, const TensorSpec* bias,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, TensorSpec* out) {
  TensorSpec conv;
  SY_RETURN_IF_ERROR(ConvTransposeInferMeta(x, filter, strides, paddings, {},
                                            {}, padding_algorithm, groups,
                                            dilations, "NCHW", &conv));
  SY_RETURN_IF_ERROR(CheckAdded("bias", bias, x.dtype, Shape({conv.shape[1]})));
  return SetOutput(out, conv.dtype, conv.shape);
}

}  // namespace switchyard::phi
