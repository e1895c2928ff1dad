// SPDX-License-Identifier: Apache-2.0
// Rearrangements of images and grids to sample them at, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_IMAGE_H_
#define SWITCHYARD_PHI_COMPOSITE_IMAGE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_image.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The gradient of affine_grid: that of a grid's positions times these, and the
// sum of it. The grid of the matrix that moves nothing is the positions.
// Differentiable again.
inline void AffineGridGrad(Ops& ops, const Value& out_grad,
                           AttrArg<IntArray> output_shape, bool align_corners,
                           Value* input_grad) {
  if (input_grad == nullptr) return;
  const int axes = ops.shape(out_grad).rank() - 2;
  const Value still = op::eye(ops, axes, axes + 1, ops.dtype(out_grad));
  const Value grid =
      op::affine_grid(ops, op::unsqueeze(ops, still, {int64_t{0}}),
                      output_shape, align_corners);
  const Value positions = op::flatten(ops, grid, 1, axes);
  const Value grads = op::flatten(ops, out_grad, 1, axes);
  const Value turns =
      op::matmul(ops, grads, positions, /*transpose_x=*/true, false);
  const Value moves = op::sum(ops, grads, {int64_t{1}}, DataType::kUndefined,
                              /*keepdim=*/false);
  const Value column = op::unsqueeze(ops, moves, {int64_t{2}});
  *input_grad = op::add(
      ops, op::pad(ops, turns, {0, 0, 0, 0, 0, 1}, Scalar(0.0)),
      op::pad(ops, column, {0, 0, 0, 0, int64_t{axes}, 0}, Scalar(0.0)));
}

// space_to_depth of old programs: spreads the channels over tiles of pixels,
// then makes channels of smaller images of the pixels.
inline void SpaceToDepth(Ops& ops, const Value& x, int blocksize, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (shape.rank() != 4) {
    return ops.Fail(ArgumentError("x", "of rank 4", ToString(shape)));
  }
  if (!shape[1].known() || !shape[2].known() || !shape[3].known()) {
    return ops.Fail(
        ArgumentError("x", "of known extents but the batch", ToString(shape)));
  }
  const int64_t c = shape[1].value(), h = shape[2].value();
  const int64_t w = shape[3].value(), b = blocksize;
  if (blocksize < 2) {
    return ops.Fail(
        ArgumentError("blocksize", "2 or more", std::to_string(blocksize)));
  }
  if (c % b != 0 || c / b % b != 0 || h % b != 0 || w % b != 0) {
    return ops.Fail(ArgumentError(
        "x",
        "of channels that are a multiple of the square of blocksize (" +
            std::to_string(b) + "), height and width of blocksize",
        ToString(shape)));
  }
  const int64_t n = shape[0].known() ? shape[0].value() : -1;
  const Value tiles = ReshapeTo(ops, x, {n, b, b, c / b / b, h, w});
  const Value pixels = op::transpose(ops, tiles, {0, 3, 4, 1, 5, 2});
  *out = ReshapeTo(ops, pixels, {n, c * b * b, h / b, w / b});
}

// x with the first channels of each frame taken from the frame before it, and
// as many from the frame after it. A clip has seg_num frames, and zeros around
// it.
inline void TemporalShift(Ops& ops, const Value& x, int seg_num,
                          float shift_ratio, std::string_view data_format,
                          Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (shape.rank() != 4) {
    return ops.Fail(ArgumentError("x", "of rank 4", ToString(shape)));
  }
  if (data_format != "NCHW" && data_format != "NHWC") {
    return ops.Fail(ArgumentError("data_format", "\"NCHW\" or \"NHWC\"",
                                  Quoted(data_format)));
  }
  if (seg_num < 1 || (shape[0].known() && shape[0].value() % seg_num != 0)) {
    return ops.Fail(ArgumentError(
        "seg_num", "a divisor of the batch (" + ToString(shape[0]) + ")",
        std::to_string(seg_num)));
  }
  if (!(shift_ratio > 0 && shift_ratio <= 0.5f)) {
    return ops.Fail(ArgumentError("shift_ratio", "above 0 and at most 0.5",
                                  std::to_string(shift_ratio)));
  }
  const int channel = data_format == "NCHW" ? 1 : 3;
  if (!shape[channel].known()) {
    return ops.Fail(ArgumentError("x", "of known channels", ToString(shape)));
  }
  const int64_t channels = shape[channel].value();
  const auto share = [&](float factor) {
    return static_cast<int64_t>(static_cast<float>(channels) * factor);
  };
  std::vector<int64_t> along(4, 1);
  along[static_cast<size_t>(channel)] = channels;
  const Value numbers =
      op::reshape(ops,
                  op::arange(ops, Scalar(int64_t{0}), Scalar(channels),
                             Scalar(int64_t{1}), DataType::kInt64),
                  along);
  const auto below = [&](const Value& v, int64_t bound) {
    return op::less_than(ops, v, FullLike(ops, v, bound));
  };
  // Numbers frames, however many there are.
  const Value frame = op::slice(ops, x, {int64_t{1}, int64_t{2}, int64_t{3}},
                                {int64_t{0}, int64_t{0}, int64_t{0}},
                                {int64_t{1}, int64_t{1}, int64_t{1}});
  const Value ones =
      op::full_like(ops, frame, Scalar(int64_t{1}), DataType::kInt64);
  const Value place = op::remainder(
      ops, op::cumsum(ops, ones, 0, false, true, false),
      op::full_like(ops, ones, Scalar(int64_t{seg_num}), DataType::kUndefined));
  const Value zeros = FullLike(ops, x, 0);
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const Value earlier =
      op::slice(ops, op::pad(ops, x, {1, 0, 0, 0, 0, 0, 0, 0}, Scalar(0.0)),
                {int64_t{0}}, {int64_t{0}}, {int64_t{-1}});
  const Value later =
      op::slice(ops, op::pad(ops, x, {0, 1, 0, 0, 0, 0, 0, 0}, Scalar(0.0)),
                {int64_t{0}}, {int64_t{1}}, {kEnd});
  const Value first = op::where(ops, below(place, 1), zeros, earlier);
  const Value second = op::where(ops, below(place, seg_num - 1), later, zeros);
  const Value rest =
      op::where(ops, below(numbers, share(2 * shift_ratio)), second, x);
  *out = op::where(ops, below(numbers, share(shift_ratio)), first, rest);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_IMAGE_H_
