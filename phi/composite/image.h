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
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

// The gradient of affine_grid: that of a grid's positions times these, and the
// sum of it. The grid of the matrix that moves nothing is the positions.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AffineGridGrad(Ops& ops, const V& out_grad, AttrArg<IntArray> output_shape,
                    bool align_corners, V* input_grad) {
  if (input_grad == nullptr) return;
  const int axes = ops.shape(out_grad).rank() - 2;
  const V still = ops.eye(axes, axes + 1, ops.dtype(out_grad));
  const V grid = ops.affine_grid(ops.unsqueeze(still, {int64_t{0}}),
                                 output_shape, align_corners);
  const V positions = ops.flatten(grid, 1, axes);
  const V grads = ops.flatten(out_grad, 1, axes);
  const V turns = ops.matmul(grads, positions, /*transpose_x=*/true, false);
  const V moves =
      ops.sum(grads, {int64_t{1}}, DataType::kUndefined, /*keepdim=*/false);
  const V column = ops.unsqueeze(moves, {int64_t{2}});
  *input_grad =
      ops.add(ops.pad(turns, {0, 0, 0, 0, 0, 1}, Scalar(0.0)),
              ops.pad(column, {0, 0, 0, 0, int64_t{axes}, 0}, Scalar(0.0)));
}

// space_to_depth of old programs: spreads the channels over tiles of pixels,
// then makes channels of smaller images of the pixels.
template <typename Ops, typename V = typename Ops::Value>
void SpaceToDepth(Ops& ops, const V& x, int blocksize, V* out) {
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
  const V tiles = ReshapeTo(ops, x, {n, b, b, c / b / b, h, w});
  const V pixels = ops.transpose(tiles, {0, 3, 4, 1, 5, 2});
  *out = ReshapeTo(ops, pixels, {n, c * b * b, h / b, w / b});
}

// x with the first channels of each frame taken from the frame before it, and
// as many from the frame after it. A clip has seg_num frames, and zeros around
// it.
template <typename Ops, typename V = typename Ops::Value>
void TemporalShift(Ops& ops, const V& x, int seg_num, float shift_ratio,
                   std::string_view data_format, V* out) {
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
  const V numbers =
      ops.reshape(ops.arange(Scalar(int64_t{0}), Scalar(channels),
                             Scalar(int64_t{1}), DataType::kInt64),
                  along);
  const auto below = [&](const V& v, int64_t bound) {
    return ops.less_than(v, FullLike(ops, v, bound));
  };
  // Numbers frames, however many there are.
  const V frame = ops.slice(x, {int64_t{1}, int64_t{2}, int64_t{3}},
                            {int64_t{0}, int64_t{0}, int64_t{0}},
                            {int64_t{1}, int64_t{1}, int64_t{1}});
  const V ones = ops.full_like(frame, Scalar(int64_t{1}), DataType::kInt64);
  const V place = ops.remainder(
      ops.cumsum(ones, 0, false, true, false),
      ops.full_like(ones, Scalar(int64_t{seg_num}), DataType::kUndefined));
  const V zeros = FullLike(ops, x, 0);
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const V earlier = ops.slice(ops.pad(x, {1, 0, 0, 0, 0, 0, 0, 0}, Scalar(0.0)),
                              {int64_t{0}}, {int64_t{0}}, {int64_t{-1}});
  const V later = ops.slice(ops.pad(x, {0, 1, 0, 0, 0, 0, 0, 0}, Scalar(0.0)),
                            {int64_t{0}}, {int64_t{1}}, {kEnd});
  const V first = ops.where(below(place, 1), zeros, earlier);
  const V second = ops.where(below(place, seg_num - 1), later, zeros);
  const V rest = ops.where(below(numbers, share(2 * shift_ratio)), second, x);
  *out = ops.where(below(numbers, share(shift_ratio)), first, rest);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_IMAGE_H_
