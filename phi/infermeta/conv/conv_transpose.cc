// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/conv/conv_transpose.h"

#include <algorithm>
#include <string>
#include <vector>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/spatial.h"
#include "phi/shapes/window.h"

namespace switchyard::phi {
namespace {

struct ConvTransposeAttrs {
  WindowAttrs window;
  absl::Span<const int> output_padding;
  AttrValues output_size;
  int groups;
  std::string_view data_format;
  int spatial = 2;  // Axes.
};

// Channels against groups, as far as they are known.
absl::Status CheckChannels(Dim channels, Dim filters, int groups) {
  if (groups < 1) {
    return ArgumentError("groups", "1 or more", std::to_string(groups));
  }
  if (!MayEqual(channels, filters)) {
    return ArgumentError("filter",
                         "of " + ToString(channels) + " filters (x's channels)",
                         ToString(filters));
  }
  const Dim known = MoreKnown(channels, filters);
  if (!known.known() || known.value() % groups == 0) return absl::OkStatus();
  return ArgumentError("x",
                       "of channels that are a multiple of groups (" +
                           std::to_string(groups) + ")",
                       ToString(known));
}

absl::Status CheckMore(const ConvTransposeAttrs& attrs) {
  const auto& more = attrs.output_padding;
  const auto axes = static_cast<size_t>(attrs.spatial);
  const std::string count = std::to_string(axes) + " numbers or none";
  if (!more.empty() && more.size() != axes) {
    return ArgumentError("output_padding", count, std::to_string(more.size()));
  }
  for (size_t i = 0; i < more.size(); ++i) {
    const auto& dilations = attrs.window.dilations;  // Empty: all 1.
    const int limit =
        std::max(attrs.window.strides[i], dilations.empty() ? 1 : dilations[i]);
    if (more[i] >= 0 && more[i] < limit) continue;
    return ArgumentError(
        "output_padding",
        "from 0 and below stride or dilation (" + std::to_string(limit) + ")",
        std::to_string(more[i]));
  }
  const AttrValues sizes = attrs.output_size;
  if (!sizes.empty() && sizes.size() != axes) {
    return ArgumentError("output_size", count, std::to_string(sizes.size()));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].known() || sizes[i].value() > 0) continue;
    return ArgumentError("output_size", "above 0", ToString(sizes[i]));
  }
  return absl::OkStatus();
}

// The result's extent that output_size asks for; `least` is the shortest of
// which x's windows are all.
absl::StatusOr<Dim> AskedExtent(AttrValue asked, int64_t least, int stride) {
  if (!asked.known()) return asked.dim();
  if (asked.value() >= least && asked.value() - least < stride) {
    return Dim(asked.value());
  }
  return ArgumentError("output_size",
                       "from " + std::to_string(least) + " to " +
                           std::to_string(least + (stride - 1)),
                       std::to_string(asked.value()));
}

absl::StatusOr<Dim> ResultExtent(const ConvTransposeAttrs& attrs, int axis,
                                 Dim extent, Dim kernel) {
  if (kernel == Dim(0)) {
    return ArgumentError("filter", "of extents from 1", "0");
  }
  if (!extent.known() || !kernel.known()) {
    return attrs.output_size.empty() ? Dim::Unknown()
                                     : attrs.output_size[axis].dim();
  }
  SY_ASSIGN_OR_RETURN(
      const WindowAxis window,
      ResolveTransposedWindow(attrs.window, axis, extent.value(),
                              kernel.value(), "x"));
  const int64_t least = window.input;
  if (!attrs.output_size.empty()) {
    return AskedExtent(attrs.output_size[axis], least,
                       attrs.window.strides[axis]);
  }
  const int more =
      attrs.output_padding.empty() ? 0 : attrs.output_padding[axis];
  return Add(Dim(least), Dim(more));
}

absl::StatusOr<Shape> ResultShape(const TensorSpec& x, const TensorSpec& filter,
                                  const ConvTransposeAttrs& attrs) {
  SY_RETURN_IF_ERROR(CheckRank("x", x, attrs.spatial + 2));
  SY_RETURN_IF_ERROR(CheckRank("filter", filter, attrs.spatial + 2));
  SY_RETURN_IF_ERROR(CheckDtype("filter", filter, x.dtype));
  SY_RETURN_IF_ERROR(CheckWindowAttrs(attrs.window, attrs.spatial));
  SY_RETURN_IF_ERROR(CheckMore(attrs));
  SY_ASSIGN_OR_RETURN(const SpatialAxes axes,
                      ParseAxes(attrs.data_format, attrs.spatial));
  SY_RETURN_IF_ERROR(
      CheckChannels(x.shape[axes.channel], filter.shape[0], attrs.groups));
  Shape shape = x.shape;
  SY_ASSIGN_OR_RETURN(shape[axes.channel],
                      Multiply(filter.shape[1], Dim(attrs.groups)));
  for (int i = 0; i < attrs.spatial; ++i) {
    SY_ASSIGN_OR_RETURN(
        shape[axes.first + i],
        ResultExtent(attrs, i, x.shape[axes.first + i], filter.shape[2 + i]));
  }
  return shape;
}

absl::Status CheckGradOf(const TensorSpec& x, const TensorSpec& filter,
                         const TensorSpec& out_grad,
                         const ConvTransposeAttrs& attrs) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ResultShape(x, filter, attrs));
  return CheckDtypeAndShape("out_grad", out_grad, x.dtype, shape);
}

// A tangent, where it is given, has dtype and shape of what it belongs to.
absl::Status CheckTangent(std::string_view argument, const TensorSpec* tangent,
                          const TensorSpec& of) {
  if (tangent == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(CheckDtype(argument, *tangent, of.dtype));
  return CheckShape(argument, *tangent, of.shape);
}

}  // namespace

absl::Status ConvTransposeInferMeta(
    const TensorSpec& x, const TensorSpec& filter,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> output_padding, AttrValues output_size,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(
      const Shape shape,
      ResultShape(x, filter,
                  {{strides, paddings, padding_algorithm, dilations},
                   output_padding,
                   output_size,
                   groups,
                   data_format}));
  return SetOutput(out, x.dtype, shape);
}

absl::Status ConvTransposeGradGradInferMeta(
    const TensorSpec& x, const TensorSpec& filter, const TensorSpec& out_grad,
    const TensorSpec* x_grad_grad, const TensorSpec* filter_grad_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> output_padding, AttrValues output_size,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    TensorSpec* x_grad, TensorSpec* filter_grad, TensorSpec* out_grad_grad) {
  SY_RETURN_IF_ERROR(
      CheckGradOf(x, filter, out_grad,
                  {{strides, paddings, padding_algorithm, dilations},
                   output_padding,
                   output_size,
                   groups,
                   data_format}));
  SY_RETURN_IF_ERROR(CheckTangent("x_grad_grad", x_grad_grad, x));
  SY_RETURN_IF_ERROR(
      CheckTangent("filter_grad_grad", filter_grad_grad, filter));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(filter, filter_grad));
  return UnchangedInferMeta(out_grad, out_grad_grad);
}

absl::Status Conv3dTransposeInferMeta(
    const TensorSpec& x, const TensorSpec& filter,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> output_padding, absl::Span<const int> output_size,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    TensorSpec* out) {
  const std::vector<int64_t> sizes(output_size.begin(), output_size.end());
  SY_ASSIGN_OR_RETURN(
      const Shape shape,
      ResultShape(x, filter,
                  {{strides, paddings, padding_algorithm, dilations},
                   output_padding,
                   AttrValues(sizes),
                   groups,
                   data_format,
                   3}));
  return SetOutput(out, x.dtype, shape);
}

}  // namespace switchyard::phi
