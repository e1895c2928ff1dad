// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/interpolation/image.h"

#include <string>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/spatial.h"

namespace switchyard::phi {
namespace {

absl::StatusOr<SpatialAxes> ImageAxes(const TensorSpec& x,
                                      std::string_view data_format) {
  if (x.shape.rank() == 4) return ParseAxes(data_format);
  return ArgumentError("x", "of rank 4", ToString(x.shape));
}

absl::Status CheckPositive(std::string_view argument, int number) {
  if (number > 0) return absl::OkStatus();
  return ArgumentError(argument, "1 or more", std::to_string(number));
}

// Divides one of x's extents, which must be a multiple; `what` names it.
absl::StatusOr<Dim> Divided(const TensorSpec& x, int axis, int64_t divisor,
                            const char* what) {
  const Dim extent = x.shape[axis];
  if (!extent.known()) return Dim::Unknown();
  if (extent.value() % divisor == 0) return Dim(extent.value() / divisor);
  return ArgumentError("x",
                       std::string("of ") + what + " that is a multiple of " +
                           std::to_string(divisor),
                       ToString(extent));
}

absl::Status CheckSampling(std::string_view mode,
                           std::string_view padding_mode) {
  if (mode != "bilinear" && mode != "nearest") {
    return ArgumentError("mode", "\"bilinear\" or \"nearest\"", Quoted(mode));
  }
  if (padding_mode == "zeros" || padding_mode == "border" ||
      padding_mode == "reflection") {
    return absl::OkStatus();
  }
  return ArgumentError("padding_mode",
                       "\"zeros\", \"border\" or \"reflection\"",
                       Quoted(padding_mode));
}

absl::StatusOr<Shape> SampledShape(const TensorSpec& x,
                                   const TensorSpec& grid) {
  const int rank = x.shape.rank();
  if (rank != 4 && rank != 5) {
    return ArgumentError("x", "of rank 4 or 5", ToString(x.shape));
  }
  SY_RETURN_IF_ERROR(CheckDtype("grid", grid, x.dtype));
  if (grid.shape.rank() != rank ||
      !MayEqual(grid.shape[rank - 1], Dim(rank - 2))) {
    return ArgumentError("grid",
                         "of rank " + std::to_string(rank) + " and " +
                             std::to_string(rank - 2) + " numbers a position",
                         ToString(grid.shape));
  }
  if (!MayEqual(grid.shape[0], x.shape[0])) {
    return ArgumentError("grid", "of x's batch (" + ToString(x.shape[0]) + ")",
                         ToString(grid.shape));
  }
  Shape shape = x.shape;
  shape[0] = MoreKnown(x.shape[0], grid.shape[0]);
  for (int axis = 2; axis < rank; ++axis) {
    if (x.shape[axis] == Dim(0)) {
      return ArgumentError("x", "of spatial extents from 1", ToString(x.shape));
    }
    shape[axis] = grid.shape[axis - 1];
  }
  return shape;
}

}  // namespace

absl::Status PixelShuffleInferMeta(const TensorSpec& x, int upscale_factor,
                                   std::string_view data_format,
                                   TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const SpatialAxes axes, ImageAxes(x, data_format));
  SY_RETURN_IF_ERROR(CheckPositive("upscale_factor", upscale_factor));
  Shape shape = x.shape;
  SY_ASSIGN_OR_RETURN(
      shape[axes.channel],
      Divided(x, axes.channel, int64_t{upscale_factor} * upscale_factor,
              "a number of channels"));
  for (int axis = axes.first; axis < axes.first + 2; ++axis) {
    SY_ASSIGN_OR_RETURN(shape[axis],
                        Multiply(x.shape[axis], Dim(upscale_factor)));
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status PixelUnshuffleInferMeta(const TensorSpec& x, int downscale_factor,
                                     std::string_view data_format,
                                     TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const SpatialAxes axes, ImageAxes(x, data_format));
  SY_RETURN_IF_ERROR(CheckPositive("downscale_factor", downscale_factor));
  const Dim factor(downscale_factor);
  Shape shape = x.shape;
  SY_ASSIGN_OR_RETURN(const Dim square, Multiply(factor, factor));
  SY_ASSIGN_OR_RETURN(shape[axes.channel],
                      Multiply(x.shape[axes.channel], square));
  SY_ASSIGN_OR_RETURN(shape[axes.first],
                      Divided(x, axes.first, downscale_factor, "a height"));
  SY_ASSIGN_OR_RETURN(shape[axes.first + 1],
                      Divided(x, axes.first + 1, downscale_factor, "a width"));
  return SetOutput(out, x.dtype, shape);
}

absl::Status ChannelShuffleInferMeta(const TensorSpec& x, int groups,
                                     std::string_view data_format,
                                     TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const SpatialAxes axes, ImageAxes(x, data_format));
  SY_RETURN_IF_ERROR(CheckPositive("groups", groups));
  SY_RETURN_IF_ERROR(
      Divided(x, axes.channel, groups, "a number of channels").status());
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status GridSampleInferMeta(const TensorSpec& x, const TensorSpec& grid,
                                 std::string_view mode,
                                 std::string_view padding_mode,
                                 TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSampling(mode, padding_mode));
  SY_ASSIGN_OR_RETURN(const Shape shape, SampledShape(x, grid));
  return SetOutput(out, x.dtype, shape);
}

absl::Status AffineGridInferMeta(const TensorSpec& input,
                                 AttrValues output_shape, TensorSpec* out) {
  const int axes = output_shape.size() == 4 ? 2 : 3;
  if (output_shape.size() != static_cast<size_t>(axes) + 2) {
    return ArgumentError("output_shape", "4 or 5 numbers",
                         std::to_string(output_shape.size()));
  }
  const Shape& theta = input.shape;
  if (theta.rank() != 3 || !MayEqual(theta[1], Dim(axes)) ||
      !MayEqual(theta[2], Dim(axes + 1))) {
    const Dim batch = theta.rank() > 0 ? theta[0] : Dim(1);
    return ArgumentError(
        "input",
        "of shape " + ToString(Shape({batch, Dim(axes), Dim(axes + 1)})),
        ToString(theta));
  }
  Shape shape({theta[0]});
  for (size_t i = 2; i < output_shape.size(); ++i) {
    if (output_shape[i].known() && output_shape[i].value() < 1) {
      return ArgumentError("output_shape", "of extents from 1",
                           ToString(output_shape[i]));
    }
    shape.push_back(output_shape[i].dim());
  }
  shape.push_back(Dim(axes));
  return SetOutput(out, input.dtype, shape);
}

absl::Status AffineGridGradInferMeta(const TensorSpec& out_grad,
                                     AttrValues output_shape,
                                     TensorSpec* input_grad) {
  const int axes = output_shape.size() == 4 ? 2 : 3;
  const Shape& grid = out_grad.shape;
  TensorSpec input, out;
  input.dtype = out_grad.dtype;
  input.shape =
      Shape({grid.rank() > 0 ? grid[0] : Dim(1), Dim(axes), Dim(axes + 1)});
  SY_RETURN_IF_ERROR(AffineGridInferMeta(input, output_shape, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return UnchangedInferMeta(input, input_grad);
}

}  // namespace switchyard::phi
