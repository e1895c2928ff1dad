// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/conv/conv.h"

#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/spatial.h"
#include "phi/shapes/window.h"

namespace switchyard::phi {
namespace {

struct ConvAttrs {
  WindowAttrs window;
  int groups;
  std::string_view data_format;
  int spatial = 2;  // Axes.
};

// Channels against groups, as far as they are known.
absl::Status CheckChannels(Dim channels, const Shape& filter, int groups) {
  if (groups < 1) {
    return ArgumentError("groups", "1 or more", std::to_string(groups));
  }
  if (filter[0].known() && filter[0].value() % groups != 0) {
    return ArgumentError("filter",
                         "of output channels that are a multiple of groups (" +
                             std::to_string(groups) + ")",
                         ToString(filter));
  }
  SY_ASSIGN_OR_RETURN(const Dim expected, Multiply(filter[1], Dim(groups)));
  if (MayEqual(expected, channels)) return absl::OkStatus();
  return ArgumentError(
      "input", "of " + ToString(expected) + " channels (filter's times groups)",
      ToString(channels));
}

absl::StatusOr<Shape> ConvShape(const TensorSpec& input,
                                const TensorSpec& filter,
                                const ConvAttrs& attrs) {
  SY_RETURN_IF_ERROR(CheckRank("input", input, attrs.spatial + 2));
  SY_RETURN_IF_ERROR(CheckRank("filter", filter, attrs.spatial + 2));
  SY_RETURN_IF_ERROR(CheckDtype("filter", filter, input.dtype));
  SY_RETURN_IF_ERROR(CheckWindowAttrs(attrs.window, attrs.spatial));
  SY_ASSIGN_OR_RETURN(const SpatialAxes axes,
                      ParseAxes(attrs.data_format, attrs.spatial));
  SY_RETURN_IF_ERROR(
      CheckChannels(input.shape[axes.channel], filter.shape, attrs.groups));
  Shape shape = input.shape;
  shape[axes.channel] = filter.shape[0];
  for (int i = 0; i < attrs.spatial; ++i) {
    const Dim extent = input.shape[axes.first + i];
    const Dim kernel = filter.shape[2 + i];
    if (kernel == Dim(0)) {
      return ArgumentError("filter", "of extents from 1",
                           ToString(filter.shape));
    }
    shape[axes.first + i] = Dim::Unknown();
    if (!extent.known() || !kernel.known()) continue;
    SY_ASSIGN_OR_RETURN(const WindowAxis window,
                        ResolveWindow(attrs.window, i, extent.value(),
                                      kernel.value(), "filter"));
    shape[axes.first + i] = Dim(window.output);
  }
  return shape;
}

absl::Status CheckOutGrad(const TensorSpec& input, const TensorSpec& filter,
                          const TensorSpec& out_grad, const ConvAttrs& attrs) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ConvShape(input, filter, attrs));
  return CheckDtypeAndShape("out_grad", out_grad, input.dtype, shape);
}

}  // namespace

absl::Status ConvInferMeta(const TensorSpec& input, const TensorSpec& filter,
                           absl::Span<const int> strides,
                           absl::Span<const int> paddings,
                           std::string_view padding_algorithm,
                           absl::Span<const int> dilations, int groups,
                           std::string_view data_format, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(
      const Shape shape,
      ConvShape(input, filter,
                {{strides, paddings, padding_algorithm, dilations},
                 groups,
                 data_format}));
  return SetOutput(out, input.dtype, shape);
}

absl::Status ConvGradGradInferMeta(
    const TensorSpec& input, const TensorSpec& filter,
    const TensorSpec& out_grad, const TensorSpec* input_grad_grad,
    const TensorSpec* filter_grad_grad, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, std::string_view data_format,
    TensorSpec* input_grad, TensorSpec* filter_grad,
    TensorSpec* out_grad_grad) {
  SY_RETURN_IF_ERROR(
      CheckOutGrad(input, filter, out_grad,
                   {{strides, paddings, padding_algorithm, dilations},
                    groups,
                    data_format}));
  if (input_grad_grad != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtype("input_grad_grad", *input_grad_grad, input.dtype));
    SY_RETURN_IF_ERROR(
        CheckShape("input_grad_grad", *input_grad_grad, input.shape));
  }
  if (filter_grad_grad != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtype("filter_grad_grad", *filter_grad_grad, filter.dtype));
    SY_RETURN_IF_ERROR(
        CheckShape("filter_grad_grad", *filter_grad_grad, filter.shape));
  }
  SY_RETURN_IF_ERROR(UnchangedInferMeta(input, input_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(filter, filter_grad));
  return UnchangedInferMeta(out_grad, out_grad_grad);
}

absl::Status Conv3dInferMeta(const TensorSpec& input, const TensorSpec& filter,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings,
                             std::string_view padding_algorithm, int groups,
                             absl::Span<const int> dilations,
                             std::string_view data_format, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(
      const Shape shape,
      ConvShape(input, filter,
                {{strides, paddings, padding_algorithm, dilations},
                 groups,
                 data_format,
                 3}));
  return SetOutput(out, input.dtype, shape);
}

}  // namespace switchyard::phi
