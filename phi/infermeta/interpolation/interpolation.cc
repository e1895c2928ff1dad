// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/interpolation/interpolation.h"

#include <array>
#include <string>

#include "framework/base/float_text.h"
#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/shapes/interpolation.h"

namespace switchyard::phi {
namespace {

struct InterpolationAttrs {
  AttrValues out_size;
  std::array<int, 3> extents;  // out_d, out_h, out_w.
  FloatValues scale;
  std::string_view data_format;
};

absl::Status CheckFormat(std::string_view format) {
  constexpr std::string_view kFormats[] = {"NCHW",  "NHWC",  "NCW",      "NWC",
                                           "NCDHW", "NDHWC", "AnyLayout"};
  for (const std::string_view known : kFormats) {
    if (format == known) return absl::OkStatus();
  }
  return ArgumentError("data_format", "\"NCHW\" or \"NHWC\"", Quoted(format));
}

absl::Status CheckScale(absl::Span<const float> scale, int spatial) {
  const int count = static_cast<int>(scale.size());
  if (count != 0 && count != 1 && count != spatial) {
    return ArgumentError("scale",
                         "1 or " + std::to_string(spatial) + " numbers",
                         std::to_string(count));
  }
  for (const float factor : scale) {
    // A NaN is not above 0.
    if (!(factor > 0)) {
      return ArgumentError("scale", "above 0", ShortestText(factor));
    }
  }
  return absl::OkStatus();
}

// The extent of `in` elements scaled: cut to a whole number.
absl::StatusOr<Dim> Scaled(Dim in, float factor) {
  if (factor == 1.0f || !in.known()) return factor == 1.0f ? in : Dim();
  const float extent = static_cast<float>(in.value()) * factor;
  if (!(extent < 2147483648.0f)) {
    return ArgumentError("scale", "such that extents are below 2^31",
                         ShortestText(factor));
  }
  return Dim(static_cast<int64_t>(extent));
}

// The extent of the result along a spatial axis.
absl::StatusOr<Dim> ResultExtent(const InterpolationAttrs& attrs, int spatial,
                                 int axis, Dim in) {
  if (!attrs.out_size.empty()) {
    const AttrValue extent = attrs.out_size[axis];
    if (!extent.known() || extent.value() > 0) return extent.dim();
    return ArgumentError("out_size", "above 0", ToString(extent));
  }
  if (!attrs.scale.has_value()) return Dim::Unknown();
  if (!attrs.scale->empty()) {
    SY_ASSIGN_OR_RETURN(const Dim extent,
                        Scaled(in, ScaleAlong(*attrs.scale, axis)));
    if (extent != Dim(0)) return extent;
    return ArgumentError("scale", "such that extents are above 0",
                         ShortestText(ScaleAlong(*attrs.scale, axis)));
  }
  constexpr const char* kNames[] = {"out_d", "out_h", "out_w"};
  const int which = 3 - spatial + axis;
  if (attrs.extents[which] > 0) return Dim(attrs.extents[which]);
  return ArgumentError(kNames[which], "above 0 (without out_size and scale)",
                       std::to_string(attrs.extents[which]));
}

// Returns the result's shape for x of `least` to `most` spatial axes.
absl::StatusOr<Shape> ResultShape(const TensorSpec& x,
                                  const InterpolationAttrs& attrs, int least,
                                  int most) {
  const int spatial = x.shape.rank() - 2;
  if (spatial < least || spatial > most) {
    std::string ranks = "of rank " + std::to_string(least + 2);
    if (most > least) ranks += " or " + std::to_string(most + 2);
    return ArgumentError("x", ranks, ToString(x.shape));
  }
  SY_RETURN_IF_ERROR(CheckFormat(attrs.data_format));
  if (attrs.scale.has_value()) {
    SY_RETURN_IF_ERROR(CheckScale(*attrs.scale, spatial));
  }
  const size_t count = attrs.out_size.size();
  if (count != 0 && count != static_cast<size_t>(spatial)) {
    return ArgumentError("out_size", std::to_string(spatial) + " numbers",
                         std::to_string(count));
  }
  const int first = ChannelsLast(attrs.data_format) ? 1 : 2;
  Shape shape = x.shape;
  for (int i = 0; i < spatial; ++i) {
    Dim& extent = shape[first + i];
    // No element is near to any other one.
    if (extent == Dim(0)) {
      return ArgumentError("x", "of spatial extents from 1", ToString(x.shape));
    }
    SY_ASSIGN_OR_RETURN(extent, ResultExtent(attrs, spatial, i, extent));
  }
  return shape;
}

absl::Status Infer(const TensorSpec& x, const InterpolationAttrs& attrs,
                   int least, int most, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ResultShape(x, attrs, least, most));
  return SetOutput(out, x.dtype, shape);
}

}  // namespace

absl::Status NearestInterpInferMeta(const TensorSpec& x, AttrValues out_size,
                                    int out_d, int out_h, int out_w,
                                    FloatValues scale,
                                    std::string_view data_format,
                                    TensorSpec* out) {
  return Infer(x, {out_size, {out_d, out_h, out_w}, scale, data_format}, 2, 3,
               out);
}

absl::Status Interp1dInferMeta(const TensorSpec& x, AttrValues out_size,
                               int out_d, int out_h, int out_w,
                               FloatValues scale, std::string_view data_format,
                               TensorSpec* out) {
  return Infer(x, {out_size, {out_d, out_h, out_w}, scale, data_format}, 1, 1,
               out);
}

absl::Status Interp2dInferMeta(const TensorSpec& x, AttrValues out_size,
                               int out_d, int out_h, int out_w,
                               FloatValues scale, std::string_view data_format,
                               TensorSpec* out) {
  return Infer(x, {out_size, {out_d, out_h, out_w}, scale, data_format}, 2, 2,
               out);
}

absl::Status Interp3dInferMeta(const TensorSpec& x, AttrValues out_size,
                               int out_d, int out_h, int out_w,
                               FloatValues scale, std::string_view data_format,
                               TensorSpec* out) {
  return Infer(x, {out_size, {out_d, out_h, out_w}, scale, data_format}, 3, 3,
               out);
}

}  // namespace switchyard::phi
