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
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/reduced_shape.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace statistics {

// The axes that a reduction over `axes` (empty: all) folds, in ascending order;
// ends the composite if one is out of range.
template <typename Ops>
std::vector<int64_t> FoldedAxes(Ops& ops, absl::Span<const int64_t> axes,
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
template <typename Ops, typename V>
V AlongAxis(Ops& ops, const V& x, int axis, int* at) {
  const int rank = ops.shape(x).rank();
  const auto normal = NormalizeAxis("axis", axis, rank, /*scalar_ok=*/true);
  if (!normal.ok()) ops.Fail(normal.status());
  *at = *normal;
  return rank == 0 ? ops.unsqueeze(x, {int64_t{0}}) : x;
}

// Sets the results to the elements of v at `indices`, of which there is one
// along the axis, and to these.
template <typename Ops, typename V>
void Pick(Ops& ops, const V& v, const V& indices, int axis, bool drop, V* out,
          V* positions) {
  const auto finished = [&](const V& result) {
    return drop ? ops.squeeze(result, {int64_t{axis}}) : result;
  };
  if (out != nullptr) {
    *out = finished(ops.take_along_axis(v, indices, axis));
  }
  if (positions != nullptr) *positions = finished(indices);
}

// The positions from `begin` to `end` of an axis.
template <typename Ops, typename V>
V Part(Ops& ops, const V& v, int axis, int64_t begin, int64_t end) {
  const int64_t axes[] = {axis}, begins[] = {begin}, ends[] = {end};
  return ops.slice(v, axes, begins, ends);
}

}  // namespace statistics

// Gradient of amax and amin: the elements that equal the result share its
// gradient evenly. Differentiable again in out_grad: the choice is piecewise
// constant.
template <typename Ops, typename V = typename Ops::Value>
void SharedExtremeGrad(Ops& ops, const V& x, const V& out, const V& out_grad,
                       AttrArg<IntArray> axis, bool keepdim, V* x_grad) {
  if (x_grad == nullptr) return;
  const V extreme = AlongReducedAxes(ops, x, out, axis, keepdim);
  const V grad = AlongReducedAxes(ops, x, out_grad, axis, keepdim);
  const V chosen = ops.cast(ops.equal(x, extreme), ops.dtype(out_grad));
  const V count = ops.sum(chosen, axis, DataType::kUndefined, true);
  *x_grad = ops.multiply(chosen, ops.divide(grad, count));
}

// The root of the sum of squares over `axis`; of halves in float32.
template <typename Ops, typename V = typename Ops::Value>
void FrobeniusNorm(Ops& ops, const V& x, absl::Span<const int64_t> axis,
                   bool keepdim, V* out) {
  if (out == nullptr) return;
  const V squares = ops.square(Widened(ops, x));
  const V root =
      ops.sqrt(ops.sum(squares, axis, DataType::kUndefined, keepdim));
  *out = Narrowed(ops, root, ops.dtype(x));
}

// The gradient of frobenius_norm: g x / out, and 0 where that is 0.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void FrobeniusNormGrad(Ops& ops, const V& x, const V& out, const V& out_grad,
                       absl::Span<const int64_t> axis, bool keepdim,
                       V* x_grad) {
  if (x_grad == nullptr) return;
  const V wide = Widened(ops, x);
  const auto kept = [&](const V& v) {
    return KeepReducedAxes(ops, x, Widened(ops, v), axis, keepdim);
  };
  const V norm = kept(out);
  const V none = ops.equal(norm, FullLike(ops, norm, 0));
  const V held = ops.where(none, FullLike(ops, norm, 1), norm);
  const V unit = Conjugated(ops, ops.divide(wide, held));
  *x_grad = Narrowed(ops, ops.multiply(unit, kept(out_grad)), ops.dtype(x));
}

// The element of rank k along an axis. Gradients are those of taking it.
template <typename Ops, typename V = typename Ops::Value>
void Kthvalue(Ops& ops, const V& x, int k, int axis, bool keepdim, V* out,
              V* indices) {
  int at = 0;
  const V v = statistics::AlongAxis(ops, x, axis, &at);
  const Dim extent = ops.shape(v)[at];
  if (k < 1 || (extent.known() && k > extent.value())) {
    return ops.Fail(
        RangeError("k", "in [1, " + ToString(extent) + "]", std::to_string(k)));
  }
  const V order = ops.argsort(v, at, /*descending=*/false, /*stable=*/true)[1];
  const V place = statistics::Part(ops, order, at, int64_t{k} - 1, k);
  const bool drop = !keepdim || ops.shape(x).rank() == 0;
  statistics::Pick(ops, v, place, at, drop, out, indices);
}

// The most frequent element along an axis. Equal elements are a run of the
// order; each element of a run has the number of those before it in the run,
// and the first largest of these numbers is at the end of the run to choose.
template <typename Ops, typename V = typename Ops::Value>
void Mode(Ops& ops, const V& x, int axis, bool keepdim, V* out, V* indices) {
  int at = 0;
  const V v = statistics::AlongAxis(ops, x, axis, &at);
  const Shape shape = ops.shape(v);
  if (shape[at] == Dim(0)) {
    return ops.Fail(
        ArgumentError("x", "of one element or more along the axis", "none"));
  }
  const auto sorted = ops.argsort(v, at, /*descending=*/false, /*stable=*/true);
  const V ones =
      ops.full_like(sorted[1], Scalar(int64_t{1}), DataType::kUndefined);
  const V places = ops.cumsum(ones, at, false, /*exclusive=*/true, false);
  // Where another run begins, its place; 0 for the first one and elsewhere.
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const V begins = ops.not_equal(statistics::Part(ops, sorted[0], at, 1, kEnd),
                                 statistics::Part(ops, sorted[0], at, 0, -1));
  std::vector<int64_t> first(2 * static_cast<size_t>(shape.rank()), 0);
  first[2 * static_cast<size_t>(at)] = 1;
  const V marks =
      ops.pad(ops.cast(begins, DataType::kInt64), first, Scalar(int64_t{0}));
  const V starts =
      ops.cummax(ops.multiply(marks, places), at, DataType::kInt64)[0];
  const V end = ops.argmax(ops.subtract(places, starts), at, /*keepdims=*/true,
                           /*flatten=*/false, DataType::kInt64);
  const V place = ops.take_along_axis(sorted[1], end, at);
  const bool drop = !keepdim || ops.shape(x).rank() == 0;
  statistics::Pick(ops, v, place, at, drop, out, indices);
}

// Parts of median, not operators' composites themselves.
namespace statistics {

// x with the axes `folded` as one, the last.
template <typename Ops, typename V>
V FoldedRows(Ops& ops, const V& x, const std::vector<int64_t>& folded) {
  const int rank = ops.shape(x).rank();
  if (rank == 0) return ops.unsqueeze(x, {int64_t{0}});
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
  const V front = moves ? ops.transpose(x, order) : x;
  const int kept = rank - static_cast<int>(folded.size());
  return folded.size() == 1 ? front : ops.flatten(front, kept, rank - 1);
}

// The position in the rows of the element of rank (count - less) / 2 from 0 on,
// or of the first NaN if there is one, which has no rank below the last.
template <typename Ops, typename V>
V MiddleOf(Ops& ops, const V& rows, const V& order, int64_t less) {
  const int last = ops.shape(rows).rank() - 1;
  const V count = ops.extent(rows, last);
  const V two = ops.full_like(count, Scalar(int64_t{2}), DataType::kUndefined);
  const V rest = ops.scale(count, Scalar(int64_t{1}), Scalar(-less), true);
  const V rank = ops.floor_divide(rest, two);
  const V is_nan = ops.cast(ops.not_equal(rows, rows), DataType::kInt64);
  const V nans =
      ops.sum(is_nan, {int64_t{last}}, DataType::kUndefined, /*keepdim=*/true);
  const V none = ops.full_like(nans, Scalar(int64_t{0}), DataType::kUndefined);
  const V place =
      ops.where(ops.greater_than(nans, none), ops.subtract(count, nans), rank);
  return ops.take_along_axis(order, place, last);
}

// Returns the position of that rank among the elements that are not NaN, which
// come first in the order; that of a NaN where there are no others.
template <typename Ops, typename V>
V MiddleOfNumbers(Ops& ops, const V& rows, const V& order, int64_t less) {
  const int last = ops.shape(rows).rank() - 1;
  const V is_number = ops.cast(ops.equal(rows, rows), DataType::kInt64);
  const V count =
      ops.sum(is_number, {int64_t{last}}, DataType::kUndefined, true);
  const V two = ops.full_like(count, Scalar(int64_t{2}), DataType::kUndefined);
  const V none = ops.full_like(count, Scalar(int64_t{0}), DataType::kUndefined);
  const V rest = ops.scale(count, Scalar(int64_t{1}), Scalar(-less), true);
  const V rank = ops.maximum(ops.floor_divide(rest, two), none);
  return ops.take_along_axis(order, rank, last);
}

// v with an axis of extent 2 after its own, which has v at `side` and 0 beside
// it.
template <typename Ops, typename V>
V BesideZero(Ops& ops, const V& v, size_t side) {
  const int rank = ops.shape(v).rank();
  std::vector<int64_t> paddings(2 * static_cast<size_t>(rank) + 2, 0);
  paddings[2 * static_cast<size_t>(rank) + 1 - side] = 1;
  return ops.pad(ops.unsqueeze(v, {int64_t{rank}}), paddings,
                 Scalar(int64_t{0}));
}

// The rows that a median is taken of, and how its results are shaped.
template <typename Ops, typename V = typename Ops::Value>
struct MedianCall {
  // The result that `column`, rows of one element, stands for.
  V Finished(Ops& ops, const V& column) const {
    const V result = ops.squeeze(column, {int64_t{last}});
    return kept.empty() ? result : ops.unsqueeze(result, kept);
  }

  V rows;
  int last;                   // The axis of the rows.
  std::vector<int64_t> kept;  // Axes that stay with extent 1.
  bool mean;
};

// NaN, at position 0, for rows without elements.
template <typename Ops, typename V>
void MedianOfNone(Ops& ops, const MedianCall<Ops, V>& call, V* out,
                  V* medians) {
  const DataType same = DataType::kUndefined;
  const V none = call.Finished(
      ops, ops.sum(call.rows, {int64_t{call.last}}, same, /*keepdim=*/true));
  const Scalar nan(std::numeric_limits<double>::quiet_NaN());
  if (out != nullptr) *out = ops.full_like(none, nan, same);
  if (medians == nullptr) return;
  const V zero = ops.full_like(none, Scalar(int64_t{0}), DataType::kInt64);
  *medians = call.mean ? BesideZero(ops, zero, 0) : zero;
}

// The median of rows with elements. `middle_of` calls MiddleOf or
// MiddleOfNumbers.
template <typename Ops, typename V, typename Middle>
void MedianOfRows(Ops& ops, const MedianCall<Ops, V>& call, Middle middle_of,
                  V* out, V* medians) {
  const V order = ops.argsort(call.rows, call.last, /*descending=*/false,
                              /*stable=*/true)[1];
  const auto middle = [&](int64_t less) {
    return middle_of(call.rows, order, less);
  };
  const V low = middle(1);
  const V smaller = ops.take_along_axis(call.rows, low, call.last);
  if (!call.mean) {
    if (out != nullptr) *out = call.Finished(ops, smaller);
    if (medians != nullptr) *medians = call.Finished(ops, low);
    return;
  }
  const V high = middle(0);
  if (out != nullptr) {
    const V larger = ops.take_along_axis(call.rows, high, call.last);
    *out = call.Finished(ops, Times(ops, ops.add(smaller, larger), 0.5));
  }
  if (medians == nullptr) return;
  *medians = ops.add(BesideZero(ops, call.Finished(ops, low), 0),
                     BesideZero(ops, call.Finished(ops, high), 1));
}

// The element in the middle of the order, or the mean of the two there.
template <typename Ops, typename V, typename Middle>
void MedianBy(Ops& ops, const V& x, absl::Span<const int64_t> axis,
              bool keepdim, std::string_view mode, Middle middle_of, V* out,
              V* medians) {
  MedianCall<Ops, V> call;
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
}

}  // namespace statistics

// The median over axes, of all elements. Gradients are those of taking it.
template <typename Ops, typename V = typename Ops::Value>
void Median(Ops& ops, const V& x, absl::Span<const int64_t> axis, bool keepdim,
            std::string_view mode, V* out, V* medians) {
  const auto middle_of = [&](const V& rows, const V& order, int64_t less) {
    return statistics::MiddleOf(ops, rows, order, less);
  };
  statistics::MedianBy(ops, x, axis, keepdim, mode, middle_of, out, medians);
}

// The median over axes, of elements that are not NaN. Gradients are those of
// taking it.
template <typename Ops, typename V = typename Ops::Value>
void Nanmedian(Ops& ops, const V& x, absl::Span<const int64_t> axis,
               bool keepdim, std::string_view mode, V* out, V* medians) {
  const auto middle_of = [&](const V& rows, const V& order, int64_t less) {
    return statistics::MiddleOfNumbers(ops, rows, order, less);
  };
  statistics::MedianBy(ops, x, axis, keepdim, mode, middle_of, out, medians);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_STATISTICS_H_
