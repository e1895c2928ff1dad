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
#include "phi/composite/calls/of_fractional_pool.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

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
inline Value Places(Ops& ops, const Value& shift, const Axis& axis) {
  const Scalar zero(int64_t{0}), one(int64_t{1});
  const std::vector<int64_t> first = {0}, column = {-1, 1}, list = {-1};
  const auto part = [&](const Value& v, int64_t begin) {
    const std::vector<int64_t> starts = {begin}, ends = {begin + axis.count};
    return op::slice(ops, v, first, starts, ends);
  };
  const Value steps =
      op::full_like(ops, shift, Scalar(static_cast<double>(axis.step())),
                    DataType::kUndefined);
  const Value moved = op::multiply(
      ops, shift, FullLike(ops, shift, static_cast<double>(axis.most_shift())));
  const Value numbers =
      op::arange(ops, zero, Scalar(axis.count + 1), one, DataType::kFloat32);
  // Whole numbers, so their difference is exact.
  const Value borders = op::cast(
      ops,
      op::subtract(
          ops,
          op::floor(ops,
                    op::multiply(ops, op::add(ops, numbers, moved), steps)),
          op::floor(ops, op::multiply(ops, moved, steps))),
      DataType::kInt64);
  const Value begins = part(borders, 0);
  const Value lasts =
      axis.size != 0
          ? op::scale(ops, begins, one, Scalar(axis.size - 1), true)
          : op::scale(ops, part(borders, 1), one, Scalar(int64_t{-1}), true);
  const Value within =
      op::arange(ops, zero, Scalar(axis.widest()), one, DataType::kInt64);
  const Value places =
      op::minimum(ops, op::add(ops, op::reshape(ops, begins, column), within),
                  op::reshape(ops, lasts, column));
  return op::reshape(ops, op::clip(ops, places, zero, Scalar(axis.extent - 1)),
                     list);
}

// x [lines, extents] as [lines, windows, elements of a window].
inline Value Windows(Ops& ops, const Value& x, int64_t lines,
                     const std::vector<Axis>& axes,
                     const std::vector<Value>& places) {
  Value windows = x;
  std::vector<int64_t> split = {lines};
  std::vector<int> order = {0};
  int64_t count = 1, elements = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    windows = op::gather(ops, windows, places[i], static_cast<int>(i) + 1);
    split.insert(split.end(), {axes[i].count, axes[i].widest()});
    order.push_back(static_cast<int>(2 * i) + 1);
    count *= axes[i].count;
    elements *= axes[i].widest();
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    order.push_back(static_cast<int>(2 * i) + 2);
  }
  return ReshapeTo(ops,
                   op::transpose(ops, ReshapeTo(ops, windows, split), order),
                   {lines, count, elements});
}

// Checks the attributes; one entry an axis.
inline std::vector<Axis> Axes(Ops& ops, const Shape& shape, int spatial,
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
inline void MaxPool(Ops& ops, const Value& x, const Value& rng, int spatial,
                    absl::Span<const int64_t> output_size,
                    absl::Span<const int64_t> kernel_size, double random_u,
                    int64_t stream, Value* out, Value* mask) {
  if (!(random_u >= 0 && random_u < 1)) {
    ops.Fail(ArgumentError("random_u", "in [0, 1)", std::to_string(random_u)));
  }
  const Shape shape = ops.shape(x);
  const std::vector<Axis> axes =
      Axes(ops, shape, spatial, output_size, kernel_size);
  const std::vector<int64_t> one = {1}, list = {-1};
  const Value shift =
      random_u > 0
          ? op::full(ops, one, Scalar(random_u), DataType::kFloat32)
          : op::uniform(ops, rng, one, 0.0, 1.0, DataType::kFloat32, stream);
  const bool known = shape[0].known() && shape[1].known();
  const int64_t lines = known ? shape[0].value() * shape[1].value() : -1;
  std::vector<Value> places;
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
    return op::arange(ops, zero, Scalar(end), Scalar(step), DataType::kInt64);
  };
  const Value windows =
      Windows(ops, ReshapeTo(ops, x, apart), lines, axes, places);
  const Value sources =
      op::reshape(ops,
                  Windows(ops, op::reshape(ops, numbers(numel, 1), single), 1,
                          axes, places),
                  list);
  const Value best = op::argmax(ops, windows, int64_t{2}, /*keepdims=*/true,
                                /*flatten=*/false, DataType::kInt64);
  const std::vector<int64_t> rows = {1, -1, 1};
  const Value starts =
      op::reshape(ops, numbers(count * elements, elements), rows);
  const Value chosen = op::gather(
      ops, sources, op::reshape(ops, op::add(ops, best, starts), list), 0);
  const Value at = ReshapeTo(ops, chosen, {lines, count});
  result = Extents(shape);
  std::copy(output_size.begin(), output_size.end(), result.begin() + 2);
  if (mask != nullptr) {
    *mask = ReshapeTo(ops, op::cast(ops, at, DataType::kInt32), result);
  }
  if (out == nullptr) return;
  const Value flat = ReshapeTo(ops, x, {lines, numel});
  *out = ReshapeTo(ops, op::take_along_axis(ops, flat, at, 1), result);
}

}  // namespace fractional

// The largest elements of windows over height and width.
inline void FractionalMaxPool2d(Ops& ops, const Value& x, const Value& rng,
                                absl::Span<const int64_t> output_size,
                                absl::Span<const int64_t> kernel_size,
                                double random_u, int64_t stream, Value* out,
                                Value* mask) {
  fractional::MaxPool(ops, x, rng, 2, output_size, kernel_size, random_u,
                      stream, out, mask);
}

// The largest elements of windows over depth, height and width.
inline void FractionalMaxPool3d(Ops& ops, const Value& x, const Value& rng,
                                absl::Span<const int64_t> output_size,
                                absl::Span<const int64_t> kernel_size,
                                double random_u, int64_t stream, Value* out,
                                Value* mask) {
  fractional::MaxPool(ops, x, rng, 3, output_size, kernel_size, random_u,
                      stream, out, mask);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FRACTIONAL_POOL_H_
