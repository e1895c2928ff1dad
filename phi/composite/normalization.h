// SPDX-License-Identifier: Apache-2.0
// Normalization, made of operators. The gradients of batch_norm and layer_norm
// are in nn.h, norms in norm.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_NORMALIZATION_H_
#define SWITCHYARD_PHI_COMPOSITE_NORMALIZATION_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_normalization.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace normalization {

using Axes = std::vector<int64_t>;

// The axes from `begin` to `end`, which is not one of them.
inline Axes AxesFrom(int begin, int end) {
  Axes axes;
  for (int axis = begin; axis < end; ++axis) axes.push_back(axis);
  return axes;
}

// The channels' axis by `data_format`, the attribute `argument`.
inline int ChannelAxis(Ops& ops, std::string_view argument,
                       std::string_view data_format, const Shape& shape) {
  constexpr std::string_view kFirst[] = {"NCHW", "NCL", "NCDHW", "AnyLayout"};
  constexpr std::string_view kLast[] = {"NHWC", "NLC", "NDHWC"};
  const auto has = [data_format](const auto& names) {
    return std::find(std::begin(names), std::end(names), data_format) !=
           std::end(names);
  };
  if (!has(kFirst) && !has(kLast)) {
    ops.Fail(
        ArgumentError(argument, "\"NCHW\" or \"NHWC\"", Quoted(data_format)));
  }
  if (shape.rank() < 2) {
    ops.Fail(ArgumentError("x", "of rank 2 at least", ToString(shape)));
  }
  return has(kLast) ? shape.rank() - 1 : 1;
}

// The list v, a number a channel, along axis `channel` of a tensor of `rank`.
inline Value AlongChannels(Ops& ops, std::string_view argument, const Value& v,
                           int rank, int channel, Dim channels) {
  const Shape shape = ops.shape(v);
  if (shape.rank() != 1 || !MayEqual(shape[0], channels)) {
    ops.Fail(ArgumentError(argument, "of shape " + ToString(Shape({channels})),
                           ToString(shape)));
  }
  Axes extents(rank, 1);
  extents[channel] = -1;
  return op::reshape(ops, v, extents);
}

// v times `scale` and plus `bias` by channel, where they are given.
inline Value ScaledByChannel(Ops& ops, Value v, const Value& scale,
                             const Value& bias, int channel) {
  const Shape shape = ops.shape(v);
  if (ops.defined(scale)) {
    v = op::multiply(ops, v,
                     AlongChannels(ops, "scale", scale, shape.rank(), channel,
                                   shape[channel]));
  }
  if (ops.defined(bias)) {
    v = op::add(ops, v,
                AlongChannels(ops, "bias", bias, shape.rank(), channel,
                              shape[channel]));
  }
  return v;
}

inline bool IsHalf(DataType dtype) {
  return dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
}

// Mean and variance of the elements over some axes.
struct Moments {
  Value mean, variance;
};

// Returns the moments over `axes`, with extent 1 there.
inline Moments GetMoments(Ops& ops, const Value& x, const Axes& axes) {
  const Value mean = op::mean(ops, x, axes, true);
  const Value squares = op::square(ops, op::subtract(ops, x, mean));
  return {mean, op::mean(ops, squares, axes, true)};
}

// The moments over `axes` and 1 / sqrt(variance + epsilon).
struct Statistics : Moments {
  Value inverse;

  Statistics(Ops& ops, const Value& x, const Axes& axes, double epsilon)
      : Moments(GetMoments(ops, x, axes)) {
    inverse = op::rsqrt(ops, Linear(ops, variance, 1, epsilon));
  }
};

}  // namespace normalization

// x by the statistics of groups of channels. They are found on x with its
// groups as an axis, and applied by channel: x may have several extents that
// are not known.
inline void GroupNorm(Ops& ops, const Value& x, const Value& scale,
                      const Value& bias, double epsilon, int groups,
                      std::string_view data_format, Value* out, Value* mean,
                      Value* variance) {
  using namespace normalization;  // NOLINT: this header's own parts
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  const int channel = ChannelAxis(ops, "data_format", data_format, shape);
  const Dim channels = shape[channel];
  if (!channels.known()) {
    return ops.Fail(ArgumentError("x", "of known channels", ToString(shape)));
  }
  if (groups < 1 || channels.value() % groups != 0) {
    return ops.Fail(ArgumentError(
        "groups", "a divisor of the channels (" + ToString(channels) + ")",
        std::to_string(groups)));
  }
  const bool last = channel != 1 || rank == 2;
  const int64_t width = channels.value() / groups;
  Dim items = shape[0], rest(1);
  for (int axis = 1; axis < rank; ++axis) {
    if (axis == channel) continue;
    const auto product = Multiply(rest, shape[axis]);
    if (!product.ok()) return ops.Fail(product.status());
    rest = *product;
  }
  // [batch, group, width, elements], or elements before the group.
  const int64_t first = items.known() ? items.value() : 0;
  const int64_t elements = rest.known() ? rest.value() : -1;
  Axes grouped = {first, groups, width, elements};
  if (last) grouped = {first, elements, groups, width};
  const bool half = IsHalf(ops.dtype(x));
  const Value wide = half ? op::cast(ops, x, DataType::kFloat32) : x;
  const Value split = shape.known() ? ReshapeTo(ops, wide, grouped)
                                    : op::reshape(ops, wide, grouped);
  const Statistics statistics(ops, split, last ? Axes{1, 3} : Axes{2, 3},
                              epsilon);
  const auto by_group = [&](const Value& v) {
    return op::squeeze(ops, v, last ? Axes{1, 3} : Axes{2, 3});
  };
  if (mean != nullptr) *mean = by_group(statistics.mean);
  if (variance != nullptr) *variance = by_group(statistics.variance);
  if (out == nullptr) return;
  const auto by_channel = [&](const Value& v) {
    const Axes times = last ? Axes{1, 1, 1, width} : Axes{1, 1, width, 1};
    const Value all =
        op::squeeze(ops, op::tile(ops, v, times), {int64_t{last ? 1 : 3}});
    const Value flat = op::flatten(ops, all, 1, 2);
    if (rank == 2) return flat;
    return op::unsqueeze(
        ops, flat, channel == 1 ? AxesFrom(2, rank) : AxesFrom(1, rank - 1));
  };
  const Value normalized =
      op::multiply(ops, op::subtract(ops, wide, by_channel(statistics.mean)),
                   by_channel(statistics.inverse));
  *out = ScaledByChannel(ops, normalized, scale, bias, channel);
  if (half) *out = op::cast(ops, *out, ops.dtype(x));
}

// x by the statistics of each channel of each item.
inline void InstanceNorm(Ops& ops, const Value& x, const Value& scale,
                         const Value& bias, double epsilon, Value* out,
                         Value* saved_mean, Value* saved_variance) {
  using namespace normalization;  // NOLINT: this header's own parts
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  ChannelAxis(ops, "data_format", "NCHW", shape);
  const bool half = IsHalf(ops.dtype(x));
  Value wide = half ? op::cast(ops, x, DataType::kFloat32) : x;
  if (rank == 2) wide = op::unsqueeze(ops, wide, {int64_t{2}});
  const int axes = std::max(rank, 3);
  const Statistics statistics(ops, wide, AxesFrom(2, axes), epsilon);
  const auto as_list = [&](const Value& v) {
    return op::flatten(ops, v, 0, axes - 1);
  };
  if (saved_mean != nullptr) *saved_mean = as_list(statistics.mean);
  if (saved_variance != nullptr) *saved_variance = as_list(statistics.inverse);
  if (out == nullptr) return;
  const Value normalized = op::multiply(
      ops, op::subtract(ops, wide, statistics.mean), statistics.inverse);
  *out = ScaledByChannel(ops, normalized, scale, bias, 1);
  if (rank == 2) *out = op::squeeze(ops, *out, {int64_t{2}});
  if (half) *out = op::cast(ops, *out, ops.dtype(x));
}

// x by the squares of the channels around: those of padded slices of x, one for
// each place in the window that holds a channel at all.
inline void Lrn(Ops& ops, const Value& given, int n, double k, double alpha,
                double beta, std::string_view data_format, Value* out,
                Value* mid_out) {
  const Value x = Widened(ops, given);
  const Shape shape = ops.shape(x);
  const int channel =
      normalization::ChannelAxis(ops, "data_format", data_format, shape);
  if (n < 1) {
    return ops.Fail(ArgumentError("n", "1 or more", std::to_string(n)));
  }
  // A place that reaches over all channels adds nothing.
  constexpr int kMaxPlaces = 1000;
  if (!shape[channel].known() && n > kMaxPlaces) {
    return ops.Fail(ArgumentError("x", "of known channels where n is over 1000",
                                  ToString(shape)));
  }
  const int64_t most = shape[channel].known() ? shape[channel].value() : n;
  const int64_t before = std::min<int64_t>((n - 1) / 2, most);
  const int64_t after = std::min<int64_t>(n - 1 - (n - 1) / 2, most);
  std::vector<int64_t> paddings(2 * shape.rank());
  paddings[2 * channel] = before;
  paddings[2 * channel + 1] = after;
  const Value padded = op::pad(ops, op::square(ops, x), paddings, Scalar(0.0));
  Value sum;
  for (int64_t i = 0; i <= before + after; ++i) {
    const int64_t cut = before + after - i;
    const int64_t end = cut == 0 ? std::numeric_limits<int64_t>::max() : -cut;
    const Value part = op::slice(ops, padded, {int64_t{channel}}, {i}, {end});
    sum = i == 0 ? part : op::add(ops, sum, part);
  }
  const Value mid = Linear(ops, sum, alpha, k);
  const DataType dtype = ops.dtype(given);
  if (mid_out != nullptr) *mid_out = Narrowed(ops, mid, dtype);
  if (out == nullptr) return;
  const Value factor = op::pow(ops, mid, Scalar(-beta));
  *out = Narrowed(ops, op::multiply(ops, x, factor), dtype);
}

// x * scale + bias by channel.
inline void AffineChannel(Ops& ops, const Value& x, const Value& scale,
                          const Value& bias, std::string_view data_layout,
                          Value* out) {
  if (out == nullptr) return;
  const int channel =
      normalization::ChannelAxis(ops, "data_layout", data_layout, ops.shape(x));
  *out = normalization::ScaledByChannel(ops, x, scale, bias, channel);
}

// 0 in place of each run of `slot_dim` columns of y whose first one in x is
// nearer to 0 than 1e-7. Part of data_norm; not an operator's composite itself.
inline Value WithoutEmptySlots(Ops& ops, const Value& x, const Value& y,
                               int64_t columns, int64_t slot_dim) {
  if (columns % slot_dim != 0) {
    ops.Fail(ArgumentError(
        "slot_dim",
        "a divisor of the columns (" + std::to_string(columns) + ")",
        std::to_string(slot_dim)));
  }
  const auto in_slots = [&](const Value& v) {
    return op::reshape(ops, v, {int64_t{0}, columns / slot_dim, slot_dim});
  };
  const Value first =
      op::slice(ops, in_slots(x), {int64_t{2}}, {int64_t{0}}, {int64_t{1}});
  const Value bound = FullLike(ops, first, 1e-7);
  const Value slots = in_slots(y);
  const Value zeros = FullLike(ops, slots, 0);
  const Value kept = op::where(
      ops, op::less_than(ops, op::abs(ops, first), bound), zeros, slots);
  return op::reshape(ops, kept, {int64_t{0}, columns});
}

// x by a mean and a scale of each column, from sums over earlier data.
inline void DataNorm(Ops& ops, const Value& x, const Value& batch_size,
                     const Value& batch_sum, const Value& batch_square_sum,
                     const Value& scale_w, const Value& bias, float epsilon,
                     int slot_dim, bool enable_scale_and_shift, Value* out,
                     Value* means, Value* scales) {
  (void)epsilon;  // Of the sums' update in training.
  const Shape shape = ops.shape(x);
  if (shape.rank() != 2) {
    return ops.Fail(ArgumentError("x", "of rank 2", ToString(shape)));
  }
  const auto column = [&](const char* argument, const Value& v) {
    if (!ops.defined(v)) {
      ops.Fail(ArgumentError(
          argument, "given where scale and shift are enabled", "none"));
    }
    return normalization::AlongChannels(ops, argument, v, 2, 1, shape[1]);
  };
  const Value size = column("batch_size", batch_size);
  const Value mean = op::divide(ops, column("batch_sum", batch_sum), size);
  const Value scale = op::sqrt(
      ops, op::divide(ops, size, column("batch_square_sum", batch_square_sum)));
  if (means != nullptr) *means = op::flatten(ops, mean, 0, 1);
  if (scales != nullptr) *scales = op::flatten(ops, scale, 0, 1);
  if (out == nullptr) return;
  *out = op::multiply(ops, op::subtract(ops, x, mean), scale);
  if (enable_scale_and_shift) {
    *out = op::multiply(ops, *out, column("scale_w", scale_w));
    *out = op::add(ops, *out, column("bias", bias));
  } else if (slot_dim > 0) {
    if (!shape[1].known()) {
      return ops.Fail(ArgumentError("x", "of known columns", ToString(shape)));
    }
    *out = WithoutEmptySlots(ops, x, *out, shape[1].value(), slot_dim);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NORMALIZATION_H_
