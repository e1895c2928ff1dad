// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/volume/columns.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/pooling/pooling.h"
#include "phi/shapes/window.h"

namespace switchyard::phi {
namespace {

// The attributes of a pooling that yields positions.
struct IndexedPool {
  absl::Span<const int> kernel_size, strides, paddings;
  bool global_pooling, adaptive, ceil_mode;
};

// The result of the pooling without positions of 2 or 3 axes.
absl::Status InferPooled(const TensorSpec& x, const IndexedPool& pool,
                         int spatial, TensorSpec* out) {
  const std::vector<int64_t> sizes(pool.kernel_size.begin(),
                                   pool.kernel_size.end());
  if (spatial == 2) {
    return Pool2dInferMeta(x, sizes, pool.strides, pool.paddings,
                           pool.ceil_mode, true, "NCHW", "max",
                           pool.global_pooling, pool.adaptive, "EXPLICIT", out);
  }
  return Pool3dInferMeta(x, sizes, pool.strides, pool.paddings, pool.ceil_mode,
                         true, "NCDHW", "max", pool.global_pooling,
                         pool.adaptive, "EXPLICIT", out);
}

absl::Status InferIndexedPool(const TensorSpec& x, const IndexedPool& pool,
                              int spatial, TensorSpec* out, TensorSpec* mask) {
  TensorSpec pooled;
  SY_RETURN_IF_ERROR(InferPooled(x, pool, spatial, &pooled));
  SY_ASSIGN_OR_RETURN(const Dim plane, Product(x.shape.dims().subspan(2)));
  if (plane.known() && plane.value() > std::numeric_limits<int32_t>::max()) {
    return SizeError("x", "of planes below 2^31 elements", ToString(plane));
  }
  SY_RETURN_IF_ERROR(SetOutput(mask, DataType::kInt32, pooled.shape));
  return SetOutput(out, x.dtype, pooled.shape);
}

absl::Status InferUnpool(const TensorSpec& x, const TensorSpec& indices,
                         absl::Span<const int64_t> output_size,
                         std::string_view data_format, int spatial,
                         TensorSpec* out) {
  if (x.shape.rank() != spatial + 2) {
    return ArgumentError("x", "of rank " + std::to_string(spatial + 2),
                         ToString(x.shape));
  }
  const std::string_view expected = spatial == 2 ? "NCHW" : "NCDHW";
  if (data_format != expected) {
    return ArgumentError("data_format", Quoted(expected), Quoted(data_format));
  }
  SY_RETURN_IF_ERROR(CheckIndexDtype("indices", indices));
  SY_RETURN_IF_ERROR(CheckShape("indices", indices, x.shape));
  const auto error = [&](const std::string& got) {
    return ArgumentError("output_size",
                         std::to_string(spatial) + " numbers from 1", got);
  };
  if (output_size.size() != static_cast<size_t>(spatial)) {
    return error(std::to_string(output_size.size()) + " numbers");
  }
  Shape shape = x.shape;
  for (int i = 0; i < spatial; ++i) {
    const int64_t extent = output_size[static_cast<size_t>(i)];
    if (extent < 1) return error(std::to_string(extent));
    shape[2 + i] = Dim(extent);
  }
  return SetOutput(out, x.dtype, shape);
}

// The attributes of unfold and fold.
struct ColumnAttrs {
  absl::Span<const int> kernel_sizes, strides, paddings, dilations;
};

// The windows over an image with extents `sizes`, and the elements of one.
struct Columns {
  Dim windows, elements;
};

absl::StatusOr<Columns> CountColumns(absl::Span<const Dim> sizes,
                                     const ColumnAttrs& attrs,
                                     const char* name) {
  const auto& kernel = attrs.kernel_sizes;
  if (kernel.size() != 2 || kernel[0] < 1 || kernel[1] < 1) {
    return ArgumentError("kernel_sizes", "2 numbers from 1",
                         kernel.size() != 2
                             ? std::to_string(kernel.size()) + " numbers"
                             : std::to_string(std::min(kernel[0], kernel[1])));
  }
  if (attrs.dilations.size() != 2) {
    return ArgumentError("dilations", "2 numbers from 1",
                         std::to_string(attrs.dilations.size()) + " numbers");
  }
  WindowAttrs window = {attrs.strides, attrs.paddings, "EXPLICIT",
                        attrs.dilations};
  SY_RETURN_IF_ERROR(CheckWindowAttrs(window));
  const auto& given = attrs.paddings;
  const bool four = given.size() == 4;
  const int sides[] = {given[0], given[four ? 2 : 0], given[1],
                       given[four ? 3 : 1]};
  window.paddings = sides;
  Columns columns;
  SY_ASSIGN_OR_RETURN(columns.elements,
                      Multiply(Dim(kernel[0]), Dim(kernel[1])));
  Dim counts[2];
  for (int i = 0; i < 2; ++i) {
    const Dim extent = sizes[static_cast<size_t>(i)];
    if (!extent.known()) continue;
    SY_ASSIGN_OR_RETURN(const WindowAxis axis,
                        ResolveWindow(window, i, extent.value(),
                                      kernel[static_cast<size_t>(i)], name));
    counts[i] = Dim(axis.output);
  }
  SY_ASSIGN_OR_RETURN(columns.windows, Multiply(counts[0], counts[1]));
  return columns;
}

}  // namespace

absl::Status MaxPool2dWithIndexInferMeta(const TensorSpec& x,
                                         absl::Span<const int> kernel_size,
                                         absl::Span<const int> strides,
                                         absl::Span<const int> paddings,
                                         bool global_pooling, bool adaptive,
                                         bool ceil_mode, TensorSpec* out,
                                         TensorSpec* mask) {
  return InferIndexedPool(
      x, {kernel_size, strides, paddings, global_pooling, adaptive, ceil_mode},
      2, out, mask);
}

absl::Status MaxPool3dWithIndexInferMeta(const TensorSpec& x,
                                         absl::Span<const int> kernel_size,
                                         absl::Span<const int> strides,
                                         absl::Span<const int> paddings,
                                         bool global_pooling, bool adaptive,
                                         bool ceil_mode, TensorSpec* out,
                                         TensorSpec* mask) {
  return InferIndexedPool(
      x, {kernel_size, strides, paddings, global_pooling, adaptive, ceil_mode},
      3, out, mask);
}

absl::Status UnpoolInferMeta(const TensorSpec& x, const TensorSpec& indices,
                             absl::Span<const int64_t> output_size,
                             std::string_view data_format, TensorSpec* out) {
  return InferUnpool(x, indices, output_size, data_format, 2, out);
}

absl::Status Unpool3dInferMeta(const TensorSpec& x, const TensorSpec& indices,
                               absl::Span<const int> output_size,
                               std::string_view data_format, TensorSpec* out) {
  const std::vector<int64_t> sizes(output_size.begin(), output_size.end());
  return InferUnpool(x, indices, sizes, data_format, 3, out);
}

absl::Status UnfoldInferMeta(const TensorSpec& x,
                             absl::Span<const int> kernel_sizes,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings,
                             absl::Span<const int> dilations, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRank("x", x, 4));
  SY_ASSIGN_OR_RETURN(const Columns columns,
                      CountColumns(x.shape.dims().subspan(2),
                                   {kernel_sizes, strides, paddings, dilations},
                                   "kernel_sizes"));
  SY_ASSIGN_OR_RETURN(const Dim rows, Multiply(x.shape[1], columns.elements));
  return SetOutput(out, x.dtype, Shape({x.shape[0], rows, columns.windows}));
}

absl::Status FoldInferMeta(const TensorSpec& x,
                           absl::Span<const int> output_sizes,
                           absl::Span<const int> kernel_sizes,
                           absl::Span<const int> strides,
                           absl::Span<const int> paddings,
                           absl::Span<const int> dilations, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRank("x", x, 3));
  if (output_sizes.size() != 2 || output_sizes[0] < 1 || output_sizes[1] < 1) {
    return ArgumentError(
        "output_sizes", "2 numbers from 1",
        output_sizes.size() != 2
            ? std::to_string(output_sizes.size()) + " numbers"
            : std::to_string(std::min(output_sizes[0], output_sizes[1])));
  }
  const Dim sizes[] = {Dim(output_sizes[0]), Dim(output_sizes[1])};
  SY_ASSIGN_OR_RETURN(
      const Columns columns,
      CountColumns(sizes, {kernel_sizes, strides, paddings, dilations},
                   "kernel_sizes"));
  if (!MayEqual(x.shape[2], columns.windows)) {
    return ArgumentError("x", "of " + ToString(columns.windows) + " windows",
                         ToString(x.shape[2]));
  }
  Dim channels;
  if (x.shape[1].known()) {
    if (x.shape[1].value() % columns.elements.value() != 0) {
      return ArgumentError(
          "x", "of rows that are a multiple of " + ToString(columns.elements),
          ToString(x.shape[1]));
    }
    channels = Dim(x.shape[1].value() / columns.elements.value());
  }
  return SetOutput(out, x.dtype,
                   Shape({x.shape[0], channels, sizes[0], sizes[1]}));
}

}  // namespace switchyard::phi
