// SPDX-License-Identifier: Apache-2.0
// Extremes, ranks, frequencies and lengths over axes, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_STATISTICS_H_
#define SWITCHYARD_PHI_COMPOSITE_STATISTICS_H_

#include <array>
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
#include "phi/composite/calls/of_statistics.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduced_shape.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace statistics {

// The axes that a reduction over `axes` (empty: all) folds, in ascending order;
// ends the composite if one is out of range.
inline std::vector<int64_t> FoldedAxes(Ops& ops, absl::Span<const int64_t> axes,
                                       int rank) {
  for (const int64_t axis : axes) {
    const auto at = NormalizeAxis("axis", axis, rank, /*scalar_ok=*/true);
    if (!at.ok()) ops.Fail(at.status());
  }
  const std::array<bool, kMaxRank> reduced = Reduced(axes, rank);
  std::vector<int64_t> folded;
  for (int i = 0; i < rank; ++i) {
    if (reduced[i]) folded.push_back(i);
  }
  return folded;
}

// x and the axis along which it is ordered; a scalar becomes a list of one.
inline Value AlongAxis(Ops& ops, const Value& x, int axis, int* at) {
  const int rank = ops.shape(x).rank();
  const auto normal = NormalizeAxis("axis", axis, rank, /*scalar_ok=*/true);
  if (!normal.ok()) ops.Fail(normal.status());
  *at = *normal;
  return rank == 0 ? op::unsqueeze(ops, x, {int64_t{0}}) : x;
}

// Sets the results to the elements of v at `indices`, of which there is one
// along the axis, and to these.
inline void Pick(Ops& ops, const Value& v, const Value& indices, int axis,
                 bool drop, Value* out, Value* positions) {
  const auto finished = [&](const Value& result) {
    return drop ? op::squeeze(ops, result, {int64_t{axis}}) : result;
  };
  if (out != nullptr) {
    *out = finished(op::take_along_axis(ops, v, indices, axis));
  }
  if (positions != nullptr) *positions = finished(indices);
}

// The positions from `begin` to `end` of an axis.
inline Value Part(Ops& ops, const Value& v, int axis, int64_t begin,
                  int64_t end) {
  const int64_t axes[] = {axis}, begins[] = {begin}, ends[] = {end};
  return op::slice(ops, v, axes, begins, ends);
}

}  // namespace statistics

// Gradient of amax and amin: the elements that equal the result share its
// gradient evenly. Differentiable again in out_grad: the choice is piecewise
// constant.
inline void SharedExtremeGrad(Ops& ops, const Value& x, const Value& out,
                              const Value& out_grad, AttrArg<IntArray> axis,
                              bool keepdim, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value extreme = AlongReducedAxes(ops, x, out, axis, keepdim);
  const Value grad = AlongReducedAxes(ops, x, out_grad, axis, keepdim);
  const Value chosen =
      op::cast(ops, op::equal(ops, x, extreme), ops.dtype(out_grad));
  const Value count = op::sum(ops, chosen, axis, DataType::kUndefined, true);
  *x_grad = op::multiply(ops, chosen, op::divide(ops, grad, count));
}

// The root of the sum of squares over `axis`; of halves in float32.
inline void FrobeniusNorm(Ops& ops, const Value& x,
                          absl::Span<const int64_t> axis, bool keepdim,
                          Value* out) {
  if (out == nullptr) return;
  const Value squares = op::square(ops, Widened(ops, x));
  const Value root =
      op::sqrt(ops, op::sum(ops, squares, axis, DataType::kUndefined, keepdim));
  *out = Narrowed(ops, root, ops.dtype(x));
}

// The gradient of frobenius_norm: g x / out, and 0 where that is 0.
// Differentiable again.
inline void FrobeniusNormGrad(Ops& ops, const Value& x, const Value& out,
                              const Value& out_grad,
                              absl::Span<const int64_t> axis, bool keepdim,
                              Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value wide = Widened(ops, x);
  const auto kept = [&](const Value& v) {
    return KeepReducedAxes(ops, x, Widened(ops, v), axis, keepdim);
  };
  const Value norm = kept(out);
  const Value none = op::equal(ops, norm, FullLike(ops, norm, 0));
  const Value held = op::where(ops, none, FullLike(ops, norm, 1), norm);
  const Value unit = Conjugated(ops, op::divide(ops, wide, held));
  *x_grad =
      Narrowed(ops, op::multiply(ops, unit, kept(out_grad)), ops.dtype(x));
}

// The element of rank k along an axis. Gradients are those of taking it.
inline void Kthvalue(Ops& ops, const Value& x, int k, int axis, bool keepdim,
                     Value* out, Value* indices) {
  int at = 0;
  const Value v = statistics::AlongAxis(ops, x, axis, &at);
  const Dim extent = ops.shape(v)[at];
  if (k < 1 || (extent.known() && k > extent.value())) {
    return ops.Fail(
        RangeError("k", "in [1, " + ToString(extent) + "]", std::to_string(k)));
  }
  const Value order =
      op::argsort(ops, v, at, /*descending=*/false, /*stable=*/true)[1];
  const Value place = statistics::Part(ops, order, at, int64_t{k} - 1, k);
  const bool drop = !keepdim || ops.shape(x).rank() == 0;
  statistics::Pick(ops, v, place, at, drop, out, indices);
}

// The most frequent element along an axis. Equal elements are a run of the
// order; each element of a run has the number of those before it in the run,
// and the first largest of these numbers is at the end of the run to choose.
inline void Mode(Ops& ops, const Value& x, int axis, bool keepdim, Value* out,
                 Value* indices) {
  int at = 0;
  const Value v = statistics::AlongAxis(ops, x, axis, &at);
  const Shape shape = ops.shape(v);
  if (shape[at] == Dim(0)) {
    return ops.Fail(
        ArgumentError("x", "of one element or more along the axis", "none"));
  }
  const auto sorted =
      op::argsort(ops, v, at, /*descending=*/false, /*stable=*/true);
  const Value ones =
      op::full_like(ops, sorted[1], Scalar(int64_t{1}), DataType::kUndefined);
  const Value places =
      op::cumsum(ops, ones, at, false, /*exclusive=*/true, false);
  // Where another run begins, its place; 0 for the first one and elsewhere.
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const Value begins =
      op::not_equal(ops, statistics::Part(ops, sorted[0], at, 1, kEnd),
                    statistics::Part(ops, sorted[0], at, 0, -1));
  std::vector<int64_t> first(2 * static_cast<size_t>(shape.rank()), 0);
  first[2 * static_cast<size_t>(at)] = 1;
  const Value marks = op::pad(ops, op::cast(ops, begins, DataType::kInt64),
                              first, Scalar(int64_t{0}));
  const Value starts = op::cummax(ops, op::multiply(ops, marks, places), at,
                                  DataType::kInt64)[0];
  const Value end =
      op::argmax(ops, op::subtract(ops, places, starts), at, /*keepdims=*/true,
                 /*flatten=*/false, DataType::kInt64);
  const Value place = op::take_along_axis(ops, sorted[1], end, at);
  const bool drop = !keepdim || ops.shape(x).rank() == 0;
  statistics::Pick(ops, v, place, at, drop, out, indices);
}

// Parts of median, not operators' composites themselves.
namespace statistics {

// x with the axes `folded` as one, the last.
inline Value FoldedRows(Ops& ops, const Value& x,
                        const std::vector<int64_t>& folded) {
  const int rank = ops.shape(x).rank();
  if (rank == 0) return op::unsqueeze(ops, x, {int64_t{0}});
  std::vector<bool> is_folded(static_cast<size_t>(rank));
  for (const int64_t axis : folded) is_folded[static_cast<size_t>(axis)] = true;
  std::vector<int> order;
  bool moves = false;
  for (const bool last : {false, true}) {
    for (int axis = 0; axis < rank; ++axis) {
      if (is_folded[static_cast<size_t>(axis)] != last) continue;
      moves = moves || axis != static_cast<int>(order.size());
      order.push_back(axis);
    }
  }
  const Value front = moves ? op::transpose(ops, x, order) : x;
  const int kept = rank - static_cast<int>(folded.size());
  return folded.size() == 1 ? front : op::flatten(ops, front, kept, rank - 1);
}

// The position in the rows of the element of rank (count - less) / 2 from 0 on,
// or of the first NaN if there is one, which has no rank below the last.
inline Value MiddleOf(Ops& ops, const Value& rows, const Value& order,
                      int64_t less) {
  const int last = ops.shape(rows).rank() - 1;
  const Value count = op::extent(ops, rows, last);
  const Value two =
      op::full_like(ops, count, Scalar(int64_t{2}), DataType::kUndefined);
  const Value rest =
      op::scale(ops, count, Scalar(int64_t{1}), Scalar(-less), true);
  const Value rank = op::floor_divide(ops, rest, two);
  const Value is_nan =
      op::cast(ops, op::not_equal(ops, rows, rows), DataType::kInt64);
  const Value nans = op::sum(ops, is_nan, {int64_t{last}}, DataType::kUndefined,
                             /*keepdim=*/true);
  const Value none =
      op::full_like(ops, nans, Scalar(int64_t{0}), DataType::kUndefined);
  const Value place = op::where(ops, op::greater_than(ops, nans, none),
                                op::subtract(ops, count, nans), rank);
  return op::take_along_axis(ops, order, place, last);
}

// Returns the position of that rank among the elements that are not NaN, which
// come first in the order; that of a NaN where there are no others.
inline Value MiddleOfNumbers(Ops& ops, const Value& rows, const Value& order,
                             int64_t less) {
  const int last = ops.shape(rows).rank() - 1;
  const Value is_number =
      op::cast(ops, op::equal(ops, rows, rows), DataType::kInt64);
  const Value count =
      op::sum(ops, is_number, {int64_t{last}}, DataType::kUndefined, true);
  const Value two =
      op::full_like(ops, count, Scalar(int64_t{2}), DataType::kUndefined);
  const Value none =
      op::full_like(ops, count, Scalar(int64_t{0}), DataType::kUndefined);
  const Value rest =
      op::scale(ops, count, Scalar(int64_t{1}), Scalar(-less), true);
  const Value rank = op::maximum(ops, op::floor_divide(ops, rest, two), none);
  return op::take_along_axis(ops, order, rank, last);
}

// v with an axis of extent 2 after its own, which has v at `side` and 0 beside
// it.
inline Value BesideZero(Ops& ops, const Value& v, size_t side) {
  const int rank = ops.shape(v).rank();
  std::vector<int64_t> paddings(2 * static_cast<size_t>(rank) + 2, 0);
  paddings[2 * static_cast<size_t>(rank) + 1 - side] = 1;
  return op::pad(ops, op::unsqueeze(ops, v, {int64_t{rank}}), paddings,
                 Scalar(int64_t{0}));
}

// The rows that a median is taken of, and how its results are shaped.
struct MedianCall {
  // The result that `column`, rows of one element, stands for.
  Value Finished(Ops& ops, const Value& column) const {
    const Value result = op::squeeze(ops, column, {int64_t{last}});
    return kept.empty() ? result : op::unsqueeze(ops, result, kept);
  }

  Value rows;
  int last;                   // The axis of the rows.
  std::vector<int64_t> kept;  // Axes that stay with extent 1.
  bool mean;
};

// NaN, at position 0, for rows without elements.
inline void MedianOfNone(Ops& ops, const MedianCall& call, Value* out,
                         Value* medians) {
  const DataType same = DataType::kUndefined;
  const Value none = call.Finished(
      ops,
      op::sum(ops, call.rows, {int64_t{call.last}}, same, /*keepdim=*/true));
  const Scalar nan(std::numeric_limits<double>::quiet_NaN());
  if (out != nullptr) *out = op::full_like(ops, none, nan, same);
  if (medians == nullptr) return;
  const Value zero =
      op::full_like(ops, none, Scalar(int64_t{0}), DataType::kInt64);
  *medians = call.mean ? BesideZero(ops, zero, 0) : zero;
}

// The median of rows with elements. `middle_of` calls MiddleOf or
// MiddleOfNumbers.
template <typename Middle>
void MedianOfRows(Ops& ops, const MedianCall& call, Middle middle_of,
                  Value* out, Value* medians) {
  const Value order =
      op::argsort(ops, call.rows, call.last, /*descending=*/false,
                  /*stable=*/true)[1];
  const auto middle = [&](int64_t less) {
    return middle_of(call.rows, order, less);
  };
  const Value low = middle(1);
  const Value smaller = op::take_along_axis(ops, call.rows, low, call.last);
  if (!call.mean) {
    if (out != nullptr) *out = call.Finished(ops, smaller);
    if (medians != nullptr) *medians = call.Finished(ops, low);
    return;
  }
  const Value high = middle(0);
  if (out != nullptr) {
    const Value larger = op::take_along_axis(ops, call.rows, high, call.last);
    *out = call.Finished(ops, Times(ops, op::add(ops, smaller, larger), 0.5));
  }
  if (medians == nullptr) return;
  *medians = op::add(ops, BesideZero(ops, call.Finished(ops, low), 0),
                     BesideZero(ops, call.Finished(ops, high), 1));
}

// The element in the middle of the order, or the mean of the two there.
template <typename Middle>
void MedianBy(Ops& ops, const Value& given, absl::Span<const int64_t> axis,
              bool keepdim, std::string_view mode, Middle middle_of, Value* out,
              Value* medians) {
  // The sum of two halves may be out of their range.
  const Value x = Widened(ops, given);
  MedianCall call;
  call.mean = mode == "avg";
  if (!call.mean && mode != "min") {
    return ops.Fail(ArgumentError("mode", "\"avg\" or \"min\"", Quoted(mode)));
  }
  if (call.mean && !IsFloating(ops.dtype(x))) {
    return ops.Fail(TypeError("x", "floating where the mode is \"avg\"",
                              Name(ops.dtype(x))));
  }
  const int rank = ops.shape(x).rank();
  const std::vector<int64_t> folded = FoldedAxes(ops, axis, rank);
  call.rows = FoldedRows(ops, x, folded);
  call.last = ops.shape(call.rows).rank() - 1;
  if (keepdim) call.kept = folded;
  if (ops.shape(call.rows)[call.last] == Dim(0)) {
    MedianOfNone(ops, call, out, medians);
  } else {
    MedianOfRows(ops, call, middle_of, out, medians);
  }
  if (out != nullptr) *out = Narrowed(ops, *out, ops.dtype(given));
}

}  // namespace statistics

// The median over axes, of all elements. Gradients are those of taking it.
inline void Median(Ops& ops, const Value& x, absl::Span<const int64_t> axis,
                   bool keepdim, std::string_view mode, Value* out,
                   Value* medians) {
  const auto middle_of = [&](const Value& rows, const Value& order,
                             int64_t less) {
    return statistics::MiddleOf(ops, rows, order, less);
  };
  statistics::MedianBy(ops, x, axis, keepdim, mode, middle_of, out, medians);
}

// The median over axes, of elements that are not NaN. Gradients are those of
// taking it.
inline void Nanmedian(Ops& ops, const Value& x, absl::Span<const int64_t> axis,
                      bool keepdim, std::string_view mode, Value* out,
                      Value* medians) {
  const auto middle_of = [&](const Value& rows, const Value& order,
                             int64_t less) {
    return statistics::MiddleOfNumbers(ops, rows, order, less);
  };
  statistics::MedianBy(ops, x, axis, keepdim, mode, middle_of, out, medians);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_STATISTICS_H_
