// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/pooling/pooling.h"

#include <algorithm>
#include <string>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/spatial.h"
#include "phi/shapes/window.h"

namespace switchyard::phi {
namespace {

struct PoolAttrs {
  AttrValues kernel_size;
  WindowAttrs window;
  bool ceil_mode;
  std::string_view data_format;
  std::string_view pooling_type;
  bool global_pooling;
  bool adaptive;
  int spatial = 2;  // Axes.
};

std::string Braced(AttrValues numbers) {
  std::string text = "{";
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ", ";
    text += ToString(numbers[i]);
  }
  return text + "}";
}

absl::Status CheckAttrs(const PoolAttrs& attrs) {
  const AttrValues kernel = attrs.kernel_size;
  const auto axes = static_cast<size_t>(attrs.spatial);
  bool positive = true;
  for (size_t i = 0; i < kernel.size(); ++i) {
    positive = positive && (!kernel[i].known() || kernel[i].value() > 0);
  }
  if (kernel.size() != axes || (!attrs.global_pooling && !positive)) {
    return ArgumentError("kernel_size",
                         std::to_string(axes) + " numbers from 1",
                         Braced(kernel));
  }
  if (attrs.pooling_type != "max" && attrs.pooling_type != "avg") {
    return ArgumentError("pooling_type", "\"max\" or \"avg\"",
                         Quoted(attrs.pooling_type));
  }
  return CheckWindowAttrs(attrs.window, attrs.spatial);
}

absl::StatusOr<Dim> PooledExtent(const PoolAttrs& attrs, int axis, Dim extent) {
  // An empty window has no largest element and no mean.
  if (extent == Dim(0)) return ArgumentError("x", "of extents from 1", "0");
  if (attrs.global_pooling) return Dim(1);
  const AttrValue kernel = attrs.kernel_size[static_cast<size_t>(axis)];
  if (attrs.adaptive) return kernel.dim();
  if (!extent.known() || !kernel.known()) return Dim::Unknown();
  SY_ASSIGN_OR_RETURN(
      const WindowAxis window,
      ResolveWindow(attrs.window, axis, extent.value(), kernel.value(),
                    "kernel_size", attrs.ceil_mode));
  // A window of nothing but padding has no largest element and no mean.
  if (window.before >= window.kernel || window.after >= window.kernel) {
    return ArgumentError(
        "paddings",
        "smaller than kernel_size (" + std::to_string(window.kernel) + ")",
        std::to_string(std::max(window.before, window.after)));
  }
  return Dim(window.output);
}

absl::StatusOr<Shape> PooledShape(const TensorSpec& x, const PoolAttrs& attrs) {
  if (x.shape.rank() != attrs.spatial + 2) {
    return ArgumentError("x", "of rank " + std::to_string(attrs.spatial + 2),
                         ToString(x.shape));
  }
  SY_RETURN_IF_ERROR(CheckAttrs(attrs));
  SY_ASSIGN_OR_RETURN(const SpatialAxes axes,
                      ParseAxes(attrs.data_format, attrs.spatial));
  Shape shape = x.shape;
  for (int i = 0; i < attrs.spatial; ++i) {
    SY_ASSIGN_OR_RETURN(shape[axes.first + i],
                        PooledExtent(attrs, i, x.shape[axes.first + i]));
  }
  return shape;
}

// Returns the shape that pooling gives x; checks that `out` has it.
absl::StatusOr<Shape> CheckPooled(const TensorSpec& x, const TensorSpec& out,
                                  const PoolAttrs& attrs) {
  SY_ASSIGN_OR_RETURN(const Shape pooled, PooledShape(x, attrs));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("out", out, x.dtype, pooled));
  return pooled;
}

}  // namespace

absl::Status Pool2dInferMeta(const TensorSpec& x, AttrValues kernel_size,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings, bool ceil_mode,
                             bool /*exclusive*/, std::string_view data_format,
                             std::string_view pooling_type, bool global_pooling,
                             bool adaptive, std::string_view padding_algorithm,
                             TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      PooledShape(x, {kernel_size,
                                      {strides, paddings, padding_algorithm},
                                      ceil_mode,
                                      data_format,
                                      pooling_type,
                                      global_pooling,
                                      adaptive}));
  return SetOutput(out, x.dtype, shape);
}

absl::Status Pool2dDoubleGradInferMeta(
    const TensorSpec& x, const TensorSpec& out, const TensorSpec& x_grad_grad,
    AttrValues kernel_size, absl::Span<const int> strides,
    absl::Span<const int> paddings, bool ceil_mode, bool /*exclusive*/,
    std::string_view data_format, std::string_view pooling_type,
    bool global_pooling, bool adaptive, std::string_view padding_algorithm,
    TensorSpec* out_grad_grad) {
  SY_RETURN_IF_ERROR(CheckPooled(x, out,
                                 {kernel_size,
                                  {strides, paddings, padding_algorithm},
                                  ceil_mode,
                                  data_format,
                                  pooling_type,
                                  global_pooling,
                                  adaptive})
                         .status());
  SY_RETURN_IF_ERROR(CheckLike("x_grad_grad", x_grad_grad, x));
  return UnchangedInferMeta(out, out_grad_grad);
}

absl::Status Pool3dInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> kernel_size,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings, bool ceil_mode,
                             bool /*exclusive*/, std::string_view data_format,
                             std::string_view pooling_type, bool global_pooling,
                             bool adaptive, std::string_view padding_algorithm,
                             TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      PooledShape(x, {kernel_size,
                                      {strides, paddings, padding_algorithm},
                                      ceil_mode,
                                      data_format,
                                      pooling_type,
                                      global_pooling,
                                      adaptive,
                                      3}));
  return SetOutput(out, x.dtype, shape);
}

}  // namespace switchyard::phi
