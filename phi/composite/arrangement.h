// SPDX-License-Identifier: Apache-2.0
// Operators that cut tensors up or put them together by a rule, and gradients,
// made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_
#define SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_arrangement.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The axes along which elements move that are rolled along `axis` (empty: in
// row-major order). Not an operator's composite itself.
inline std::vector<int> RolledAxes(Ops& ops, absl::Span<const int64_t> axis,
                                   int rank) {
  std::vector<int> axes;
  for (int i = 0; axis.empty() && i < rank; ++i) axes.push_back(i);
  for (const int64_t one : axis) {
    const auto at = NormalizeAxis("axis", one, rank);
    if (!at.ok()) ops.Fail(at.status());
    if (std::find(axes.begin(), axes.end(), *at) == axes.end()) {
      axes.push_back(*at);
    }
  }
  return axes;
}

// The gradient of roll: rolled back. Differentiable again. By shifts that are
// not known, whose opposite is not either, it rolls what is flipped.
inline void RollGrad(Ops& ops, const Value& out_grad, AttrArg<IntArray> shifts,
                     absl::Span<const int64_t> axis, Value* x_grad) {
  if (x_grad == nullptr) return;
  if (!shifts.known()) {
    const std::vector<int> flipped =
        RolledAxes(ops, axis, ops.shape(out_grad).rank());
    const Value rolled =
        op::roll(ops, op::flip(ops, out_grad, flipped), shifts, axis);
    *x_grad = op::flip(ops, rolled, flipped);
    return;
  }
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> back, rest;
  for (const int64_t shift : shifts.value()) {
    // -2^63 has no opposite; the shift by one more and one less is the same.
    back.push_back(shift == kLeast ? ~shift : -shift);
    rest.push_back(shift == kLeast ? 1 : 0);
  }
  *x_grad = op::roll(ops, out_grad, back, axis);
  if (std::find(rest.begin(), rest.end(), 1) == rest.end()) return;
  *x_grad = op::roll(ops, *x_grad, rest, axis);
}

// The slices of x along an axis.
inline void Unstack(Ops& ops, const Value& x, int axis, int num,
                    OutputList out) {
  if (!out.any()) return;
  const Shape shape = ops.shape(x);
  const auto at = NormalizeAxis("axis", axis, shape.rank());
  if (!at.ok()) return ops.Fail(at.status());
  if (num < 1 || !MayEqual(shape[*at], Dim(num))) {
    return ops.Fail(
        ArgumentError("num", "the extent of the axis, " + ToString(shape[*at]),
                      std::to_string(num)));
  }
  const std::vector<int64_t> ones(num, 1);
  const std::vector<Value> slices = op::split(ops, x, ones, *at);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr)
      *out[i] = op::squeeze(ops, slices[i], {int64_t{*at}});
  }
}

// Each list repeated along the axes of the others: to the shape, known or not,
// that broadcasting makes of all of them.
inline void Meshgrid(Ops& ops, const List& x, OutputList out) {
  if (!out.any()) return;
  const int64_t rank = static_cast<int64_t>(x.size());
  std::vector<Value> lists;
  Value grid;
  for (int64_t i = 0; i < rank; ++i) {
    const Shape shape = ops.shape(x[i]);
    if (shape.rank() > 1) {
      return ops.Fail(ArgumentError("x", "of lists", ToString(shape)));
    }
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (axis != i || shape.rank() == 0) axes.push_back(axis);
    }
    lists.push_back(axes.empty() ? x[i] : op::unsqueeze(ops, x[i], axes));
    const Value zeros =
        op::full_like(ops, lists[i], Scalar(int64_t{0}), DataType::kInt8);
    grid = i == 0 ? zeros : op::add(ops, grid, zeros);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = op::expand_as(ops, lists[i], grid);
  }
}

// The tensors repeated along each other's axes: to the shape, known or not,
// that broadcasting makes of all of them.
inline void BroadcastTensors(Ops& ops, const List& input, OutputList out) {
  if (!out.any()) return;
  Shape shape;
  bool known = true;
  for (size_t i = 0; i < input.size(); ++i) {
    const Shape one = ops.shape(input[i]);
    known = known && one.known();
    const auto both = BroadcastShapes("input", shape, one);
    if (!both.ok()) return ops.Fail(both.status());
    shape = *both;
  }
  if (known) {
    const std::vector<int64_t> extents = Extents(shape);
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] != nullptr) *out[i] = op::expand(ops, input[i], extents);
    }
    return;
  }
  Value grid;
  for (size_t i = 0; i < input.size(); ++i) {
    const Value zeros =
        op::full_like(ops, input[i], Scalar(int64_t{0}), DataType::kInt8);
    grid = i == 0 ? zeros : op::add(ops, grid, zeros);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = op::expand_as(ops, input[i], grid);
  }
}

// Zeros with a diagonal, by where two running positions differ by its number:
// matrices of rows and columns first, whose axes then move.
inline void DiagEmbed(Ops& ops, const Value& input, int offset, int dim1,
                      int dim2, Value* out) {
  if (out == nullptr) return;
  const int rank = ops.shape(input).rank();
  if (rank < 1)
    return ops.Fail(ArgumentError("input", "of rank 1 or more", "[]"));
  const auto row = NormalizeAxis("dim1", dim1, rank + 1);
  if (!row.ok()) return ops.Fail(row.status());
  const auto column = NormalizeAxis("dim2", dim2, rank + 1);
  if (!column.ok()) return ops.Fail(column.status());
  if (*row == *column) {
    return ops.Fail(
        ArgumentError("dim2", "another axis than dim1", std::to_string(dim2)));
  }
  const int64_t apart = offset;
  std::vector<int64_t> paddings(2 * static_cast<size_t>(rank), 0);
  paddings.back() = apart < 0 ? -apart : apart;
  const Value list = op::pad(ops, input, paddings, Scalar(0.0));
  const Value ones =
      op::full_like(ops, list, Scalar(int64_t{1}), DataType::kInt64);
  const Value places =
      op::cumsum(ops, ones, rank - 1, false, /*exclusive=*/true, false);
  const int64_t last[] = {rank}, second_last[] = {rank - 1};
  const Value rows = op::unsqueeze(ops, places, last);
  const Value columns = op::unsqueeze(ops, places, second_last);
  const Value on_diagonal = op::equal(
      ops, op::scale(ops, rows, Scalar(int64_t{1}), Scalar(apart), true),
      columns);
  // Above the main diagonal element i is in row i, below it in column i.
  const Value elements =
      op::unsqueeze(ops, list, apart < 0 ? second_last : last);
  const Value zero = FullLike(ops, elements, 0);
  const Value matrices = op::where(ops, on_diagonal, elements, zero);
  std::vector<int> order;
  for (int axis = 0, taken = 0; axis <= rank; ++axis) {
    order.push_back(axis == *row ? rank - 1 : axis == *column ? rank : taken++);
  }
  *out = op::transpose(ops, matrices, order);
}

// Each slice `repeats` times in a row. Not an operator's composite itself.
inline Value Repeated(Ops& ops, const Value& x, int repeats, int axis,
                      int64_t output_size) {
  const Shape shape = ops.shape(x);
  const auto at = NormalizeAxis("axis", axis, shape.rank());
  if (!at.ok()) ops.Fail(at.status());
  if (repeats < 0) {
    ops.Fail(ArgumentError("repeats", "0 or more", std::to_string(repeats)));
  }
  const Dim extent = shape[*at];
  const bool fits =
      output_size == -1 || !extent.known() ||
      (repeats == 0 ? output_size == 0
                    : output_size % repeats == 0 &&
                          output_size / repeats == extent.value());
  if (!fits || output_size < -1) {
    ops.Fail(ArgumentError("output_size",
                           "-1 or " + ToString(extent) + " times the repeats",
                           std::to_string(output_size)));
  }
  std::vector<int64_t> times(static_cast<size_t>(shape.rank()) + 1, 1);
  times[static_cast<size_t>(*at) + 1] = repeats;
  const Value repeated =
      op::tile(ops, op::unsqueeze(ops, x, {int64_t{*at} + 1}), times);
  return op::flatten(ops, repeated, *at, *at + 1);
}

// Each slice as often as a tensor says. Not an operator's composite itself.
inline Value RepeatedEach(Ops& ops, const Value& x, const Value& repeats,
                          int axis, int64_t output_size) {
  return op::index_select(
      ops, x, op::repeat_indices(ops, x, repeats, axis, output_size), axis);
}

// x with each slice repeated in place. Gradients are those of tile.
inline void RepeatInterleave(Ops& ops, const Value& x, int repeats, int axis,
                             int64_t output_size, Value* out) {
  if (out != nullptr) *out = Repeated(ops, x, repeats, axis, output_size);
}

// Repeats slices as often as a tensor says. Gradients are those of
// index_select.
inline void RepeatInterleaveWithTensorIndex(Ops& ops, const Value& x,
                                            const Value& repeats, int axis,
                                            int64_t output_size, Value* out) {
  if (out != nullptr) *out = RepeatedEach(ops, x, repeats, axis, output_size);
}

// Repeats slices as a tensor or a number says.
inline void LegacyRepeatInterleave(Ops& ops, const Value& x,
                                   const Value& repeats_tensor, int repeats,
                                   int axis, int64_t output_size, Value* out) {
  if (out == nullptr) return;
  *out = ops.defined(repeats_tensor)
             ? RepeatedEach(ops, x, repeats_tensor, axis, output_size)
             : Repeated(ops, x, repeats, axis, output_size);
}

// Row i of the tensor that element i of the index names.
inline void Multiplex(Ops& ops, const List& x, const Value& index, Value* out) {
  if (out == nullptr) return;
  if (x.empty()) {
    return ops.Fail(ArgumentError("x", "one tensor or more", "none"));
  }
  const Shape shape = ops.shape(x[0]), given = ops.shape(index);
  if (shape.rank() < 1) {
    return ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(shape)));
  }
  const bool is_list = given.rank() == 1;
  const bool is_column = given.rank() == 2 && MayEqual(given[1], Dim(1));
  if ((!is_list && !is_column) || !MayEqual(given[0], shape[0])) {
    return ops.Fail(
        ArgumentError("index", "of shape [n] or [n, 1] for tensors of n rows",
                      ToString(given)));
  }
  const std::vector<int64_t> column = {-1, 1};
  const Value tensors =
      op::cast(ops, op::reshape(ops, index, column), DataType::kInt64);
  const Value ones =
      op::full_like(ops, tensors, Scalar(int64_t{1}), DataType::kUndefined);
  const Value rows = op::cumsum(ops, ones, 0, false, /*exclusive=*/true, false);
  const std::vector<int64_t> first = {0, 0, 0, 1}, second = {0, 0, 1, 0};
  const Value places =
      op::add(ops, op::pad(ops, tensors, first, Scalar(int64_t{0})),
              op::pad(ops, rows, second, Scalar(int64_t{0})));
  *out = op::gather_nd(ops, op::stack(ops, x, 0), places);
}

// The gradient of crop's gradient: what crop takes of it.
inline void CropGradGrad(Ops& ops, const Value& x_grad_grad,
                         AttrArg<IntArray> shape, AttrArg<IntArray> offsets,
                         Value* out_grad_grad) {
  if (out_grad_grad == nullptr) return;
  *out_grad_grad = op::crop(ops, x_grad_grad, shape, offsets);
}

// The part that begins at an offset, of a shape or of that of y.
inline void LegacyCrop(Ops& ops, const Value& x, const Value& y,
                       AttrArg<IntArray> offsets, AttrArg<IntArray> shape,
                       Value* out) {
  if (out == nullptr) return;
  if (!ops.defined(y)) {
    *out = op::crop(ops, x, shape, offsets);
    return;
  }
  std::vector<int64_t> extents;
  const Shape whole = ops.shape(y);
  for (const Dim dim : whole.dims()) {
    if (!dim.known()) {
      return ops.Fail(ArgumentError("y", "of a known shape", "an unknown one"));
    }
    extents.push_back(dim.value());
  }
  *out = op::crop(ops, x, extents, offsets);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_
