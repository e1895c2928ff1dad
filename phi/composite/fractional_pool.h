// SPDX-License-Identifier: Apache-2.0
// Pools whose windows are of several sizes.
#ifndef SWITCHYARD_PHI_COMPOSITE_FRACTIONAL_POOL_H_
#define SWITCHYARD_PHI_COMPOSITE_FRACTIONAL_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace fractional {

// The windows along one axis: `count` of `size` elements, or, if that is 0, of
// as many as make them touch.
struct Axis {
  int64_t extent;
  int64_t count;
  int64_t size;

  // Returns the distance of the starts of two windows, as float32 has it.
  float step() const {
    if (size == 0)
      return static_cast<float>(extent) / static_cast<float>(count);
    if (count == 1) return 0;
    return static_cast<float>(extent - size) / static_cast<float>(count - 1);
  }
  // The largest shift that leaves the last window within the axis.
  float most_shift() const {
    if (size != 0) return 1;
    const int64_t whole = extent / count;
    return std::min(static_cast<float>(whole + 2) / step() - 1.0f,
                    static_cast<float>(extent + 1 - whole) / step() -
                        static_cast<float>(count - 1));
  }
  int64_t widest() const {
    return size != 0 ? size : static_cast<int64_t>(std::ceil(step())) + 1;
  }
};

// The places of the elements of all windows, [count * widest()]. A window that
// has fewer elements has its last one again. `shift` float32 [1] is in [0, 1).
template <typename Ops, typename V>
V Places(Ops& ops, const V& shift, const Axis& axis) {
  const Scalar zero(int64_t{0}), one(int64_t{1});
  const std::vector<int64_t> first = {0}, column = {-1, 1}, list = {-1};
  const auto part = [&](const V& v, int64_t begin) {
    const std::vector<int64_t> starts = {begin}, ends = {begin + axis.count};
    return ops.slice(v, first, starts, ends);
  };
  const V steps = ops.full_like(shift, Scalar(static_cast<double>(axis.step())),
                                DataType::kUndefined);
  const V moved = ops.multiply(
      shift, FullLike(ops, shift, static_cast<double>(axis.most_shift())));
  const V numbers =
      ops.arange(zero, Scalar(axis.count + 1), one, DataType::kFloat32);
  // Whole numbers, so their difference is exact.
  const V borders = ops.cast(
      ops.subtract(ops.floor(ops.multiply(ops.add(numbers, moved), steps)),
                   ops.floor(ops.multiply(moved, steps))),
      DataType::kInt64);
  const V begins = part(borders, 0);
  const V lasts =
      axis.size != 0
          ? ops.scale(begins, one, Scalar(axis.size - 1), true)
          : ops.scale(part(borders, 1), one, Scalar(int64_t{-1}), true);
  const V within =
      ops.arange(zero, Scalar(axis.widest()), one, DataType::kInt64);
  const V places = ops.minimum(ops.add(ops.reshape(begins, column), within),
                               ops.reshape(lasts, column));
  return ops.reshape(ops.clip(places, zero, Scalar(axis.extent - 1)), list);
}

// x [lines, extents] as [lines, windows, elements of a window].
template <typename Ops, typename V>
V Windows(Ops& ops, const V& x, int64_t lines, const std::vector<Axis>& axes,
          const std::vector<V>& places) {
  V windows = x;
  std::vector<int64_t> split = {lines};
  std::vector<int> order = {0};
  int64_t count = 1, elements = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    windows = ops.gather(windows, places[i], static_cast<int>(i) + 1);
    split.insert(split.end(), {axes[i].count, axes[i].widest()});
    order.push_back(static_cast<int>(2 * i) + 1);
    count *= axes[i].count;
    elements *= axes[i].widest();
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    order.push_back(static_cast<int>(2 * i) + 2);
  }
  return ReshapeTo(ops, ops.transpose(ReshapeTo(ops, windows, split), order),
                   {lines, count, elements});
}

// Checks the attributes; one entry an axis.
template <typename Ops>
std::vector<Axis> Axes(Ops& ops, const Shape& shape, int spatial,
                       absl::Span<const int64_t> output_size,
                       absl::Span<const int64_t> kernel_size) {
  if (shape.rank() != spatial + 2) {
    ops.Fail(ArgumentError("x", "of rank " + std::to_string(spatial + 2),
                           ToString(shape)));
  }
  const std::string numbers = std::to_string(spatial) + " numbers";
  if (output_size.size() != static_cast<size_t>(spatial)) {
    ops.Fail(ArgumentError("output_size", numbers,
                           std::to_string(output_size.size())));
  }
  if (!kernel_size.empty() &&
      kernel_size.size() != static_cast<size_t>(spatial)) {
    ops.Fail(ArgumentError("kernel_size", numbers + " or none",
                           std::to_string(kernel_size.size())));
  }
  std::vector<Axis> axes;
  for (int i = 0; i < spatial; ++i) {
    if (!shape[i + 2].known()) ops.Fail(UnknownShapeError("x"));
    const Axis axis = {shape[i + 2].value(), output_size[i],
                       kernel_size.empty() ? 0 : kernel_size[i]};
    const std::string most = std::to_string(axis.extent);
    if (axis.count < 1 || axis.count > axis.extent) {
      ops.Fail(ArgumentError("output_size", "in [1, " + most + "]",
                             std::to_string(axis.count)));
    }
    if (axis.size < 0 || axis.size > axis.extent) {
      ops.Fail(ArgumentError("kernel_size", "in [0, " + most + "]",
                             std::to_string(axis.size)));
    }
    axes.push_back(axis);
  }
  return axes;
}

// The largest element of each window, and its place.
template <typename Ops, typename V>
void MaxPool(Ops& ops, const V& x, const V& rng, int spatial,
             absl::Span<const int64_t> output_size,
             absl::Span<const int64_t> kernel_size, double random_u,
             int64_t stream, V* out, V* mask) {
  if (!(random_u >= 0 && random_u < 1)) {
    ops.Fail(ArgumentError("random_u", "in [0, 1)", std::to_string(random_u)));
  }
  const Shape shape = ops.shape(x);
  const std::vector<Axis> axes =
      Axes(ops, shape, spatial, output_size, kernel_size);
  const std::vector<int64_t> one = {1}, list = {-1};
  const V shift =
      random_u > 0
          ? ops.full(one, Scalar(random_u), DataType::kFloat32)
          : ops.uniform(rng, one, 0.0, 1.0, DataType::kFloat32, stream);
  const bool known = shape[0].known() && shape[1].known();
  const int64_t lines = known ? shape[0].value() * shape[1].value() : -1;
  std::vector<V> places;
  std::vector<int64_t> apart = {lines}, single = {1}, result;
  int64_t numel = 1, count = 1, elements = 1;
  for (const Axis& axis : axes) {
    places.push_back(Places(ops, shift, axis));
    apart.push_back(axis.extent);
    single.push_back(axis.extent);
    numel *= axis.extent;
    count *= axis.count;
    elements *= axis.widest();
  }
  const Scalar zero(int64_t{0});
  const auto numbers = [&](int64_t end, int64_t step) {
    return ops.arange(zero, Scalar(end), Scalar(step), DataType::kInt64);
  };
  const V windows = Windows(ops, ReshapeTo(ops, x, apart), lines, axes, places);
  const V sources = ops.reshape(
      Windows(ops, ops.reshape(numbers(numel, 1), single), 1, axes, places),
      list);
  const V best = ops.argmax(windows, int64_t{2}, /*keepdims=*/true,
                            /*flatten=*/false, DataType::kInt64);
  const std::vector<int64_t> rows = {1, -1, 1};
  const V starts = ops.reshape(numbers(count * elements, elements), rows);
  const V chosen =
      ops.gather(sources, ops.reshape(ops.add(best, starts), list), 0);
  const V at = ReshapeTo(ops, chosen, {lines, count});
  result = Extents(shape);
  std::copy(output_size.begin(), output_size.end(), result.begin() + 2);
  if (mask != nullptr) {
    *mask = ReshapeTo(ops, ops.cast(at, DataType::kInt32), result);
  }
  if (out == nullptr) return;
  const V flat = ReshapeTo(ops, x, {lines, numel});
  *out = ReshapeTo(ops, ops.take_along_axis(flat, at, 1), result);
}

}  // namespace fractional

// The largest elements of windows over height and width.
template <typename Ops, typename V = typename Ops::Value>
void FractionalMaxPool2d(Ops& ops, const V& x, const V& rng,
                         absl::Span<const int64_t> output_size,
                         absl::Span<const int64_t> kernel_size, double random_u,
                         int64_t stream, V* out, V* mask) {
  fractional::MaxPool(ops, x, rng, 2, output_size, kernel_size, random_u,
                      stream, out, mask);
}

// The largest elements of windows over depth, height and width.
template <typename Ops, typename V = typename Ops::Value>
void FractionalMaxPool3d(Ops& ops, const V& x, const V& rng,
                         absl::Span<const int64_t> output_size,
                         absl::Span<const int64_t> kernel_size, double random_u,
                         int64_t stream, V* out, V* mask) {
  fractional::MaxPool(ops, x, rng, 3, output_size, kernel_size, random_u,
                      stream, out, mask);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FRACTIONAL_POOL_H_
