// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sampling/deformable_conv.h"

#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/conv/conv.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// Checks what moves or weighs taps: `numbers` of them for each tap.
absl::Status CheckTaps(std::string_view argument, const TensorSpec& taps,
                       int64_t numbers, const TensorSpec& filter,
                       const TensorSpec& out) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, taps, out.dtype));
  const Dim parts[] = {Dim(numbers), filter.shape[2], filter.shape[3]};
  SY_ASSIGN_OR_RETURN(const Dim channels, Product(parts));
  return CheckShape(
      argument, taps,
      Shape({out.shape[0], channels, out.shape[2], out.shape[3]}));
}

}  // namespace

absl::Status DeformableConvInferMeta(
    const TensorSpec& input, const TensorSpec& offset, const TensorSpec& filter,
    const TensorSpec* mask, absl::Span<const int> strides,
    absl::Span<const int> paddings, absl::Span<const int> dilations,
    int deformable_groups, int groups, TensorSpec* out) {
  TensorSpec result;
  SY_RETURN_IF_ERROR(ConvInferMeta(input, filter, strides, paddings, "EXPLICIT",
                                   dilations, groups, "NCHW", &result));
  const Dim channels = input.shape[1];
  if (deformable_groups < 1 ||
      (channels.known() && channels.value() % deformable_groups != 0)) {
    return ArgumentError("deformable_groups",
                         "1 or more and a divisor of input's channels (" +
                             ToString(channels) + ")",
                         std::to_string(deformable_groups));
  }
  SY_RETURN_IF_ERROR(CheckTaps("offset", offset, int64_t{deformable_groups} * 2,
                               filter, result));
  if (mask != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckTaps("mask", *mask, deformable_groups, filter, result));
  }
  return SetOutput(out, result.dtype, result.shape);
}

absl::Status DeformableConvGradInferMeta(
    const TensorSpec& input, const TensorSpec& offset, const TensorSpec& filter,
    const TensorSpec* mask, const TensorSpec& out_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> dilations, int deformable_groups, int groups,
    TensorSpec* input_grad, TensorSpec* offset_grad, TensorSpec* filter_grad,
    TensorSpec* mask_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(DeformableConvInferMeta(input, offset, filter, mask,
                                             strides, paddings, dilations,
                                             deformable_groups, groups, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(input, input_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(offset, offset_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(filter, filter_grad));
  if (mask != nullptr) return UnchangedInferMeta(*mask, mask_grad);
  // That of a mask of ones.
  Shape shape = offset.shape;
  shape[1] = offset.shape[1].known() ? Dim(offset.shape[1].value() / 2) : Dim();
  return SetOutput(mask_grad, input.dtype, shape);
}

}  // namespace switchyard::phi
