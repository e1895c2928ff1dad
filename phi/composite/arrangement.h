// SPDX-License-Identifier: Apache-2.0
// Operators that cut tensors up or put them together by a rule, and gradients,
// made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_
#define SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// The axes along which elements move that are rolled along `axis` (empty: in
// row-major order). Not an operator's composite itself.
template <typename Ops>
std::vector<int> RolledAxes(Ops& ops, absl::Span<const int64_t> axis,
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
template <typename Ops, typename V = typename Ops::Value>
void RollGrad(Ops& ops, const V& out_grad, AttrArg<IntArray> shifts,
              absl::Span<const int64_t> axis, V* x_grad) {
  if (x_grad == nullptr) return;
  if (!shifts.known()) {
    const std::vector<int> flipped =
        RolledAxes(ops, axis, ops.shape(out_grad).rank());
    const V rolled = ops.roll(ops.flip(out_grad, flipped), shifts, axis);
    *x_grad = ops.flip(rolled, flipped);
    return;
  }
  std::vector<int64_t> back;
  // -2^63 has no opposite; the shift by one more and one less is the same.
  for (const int64_t shift : shifts.value()) back.push_back(~shift);
  std::vector<int64_t> axes(axis.begin(), axis.end());
  V rolled = ops.roll(out_grad, back, axes);
  for (int64_t& step : back) step = 1;
  *x_grad = ops.roll(rolled, back, axes);
}

// The slices of x along an axis.
template <typename Ops, typename V = typename Ops::Value>
void Unstack(Ops& ops, const V& x, int axis, int num,
             typename Ops::OutputList out) {
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
  const std::vector<V> slices = ops.split(x, ones, *at);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = ops.squeeze(slices[i], {int64_t{*at}});
  }
}

// Each list repeated along the axes of the others: to the shape, known or not,
// that broadcasting makes of all of them.
template <typename Ops, typename V = typename Ops::Value>
void Meshgrid(Ops& ops, const typename Ops::List& x,
              typename Ops::OutputList out) {
  if (!out.any()) return;
  const int64_t rank = static_cast<int64_t>(x.size());
  std::vector<V> lists;
  V grid;
  for (int64_t i = 0; i < rank; ++i) {
    const Shape shape = ops.shape(x[i]);
    if (shape.rank() > 1) {
      return ops.Fail(ArgumentError("x", "of lists", ToString(shape)));
    }
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (axis != i || shape.rank() == 0) axes.push_back(axis);
    }
    lists.push_back(axes.empty() ? x[i] : ops.unsqueeze(x[i], axes));
    const V zeros =
        ops.full_like(lists[i], Scalar(int64_t{0}), DataType::kInt8);
    grid = i == 0 ? zeros : ops.add(grid, zeros);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = ops.expand_as(lists[i], grid);
  }
}

// The tensors repeated along each other's axes: to the shape, known or not,
// that broadcasting makes of all of them.
template <typename Ops, typename V = typename Ops::Value>
void BroadcastTensors(Ops& ops, const typename Ops::List& input,
                      typename Ops::OutputList out) {
  if (!out.any()) return;
  Shape shape;
  V grid;
  for (size_t i = 0; i < input.size(); ++i) {
    const auto both = BroadcastShapes("input", shape, ops.shape(input[i]));
    if (!both.ok()) return ops.Fail(both.status());
    shape = *both;
    const V zeros =
        ops.full_like(input[i], Scalar(int64_t{0}), DataType::kInt8);
    grid = i == 0 ? zeros : ops.add(grid, zeros);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = ops.expand_as(input[i], grid);
  }
}

// Zeros with a diagonal, by where two running positions differ by its number:
// matrices of rows and columns first, whose axes then move.
template <typename Ops, typename V = typename Ops::Value>
void DiagEmbed(Ops& ops, const V& input, int offset, int dim1, int dim2,
               V* out) {
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
  const V list = ops.pad(input, paddings, Scalar(0.0));
  const V ones = ops.full_like(list, Scalar(int64_t{1}), DataType::kInt64);
  const V places = ops.cumsum(ones, rank - 1, false, /*exclusive=*/true, false);
  const int64_t last[] = {rank}, second_last[] = {rank - 1};
  const V rows = ops.unsqueeze(places, last);
  const V columns = ops.unsqueeze(places, second_last);
  const V on_diagonal = ops.equal(
      ops.scale(rows, Scalar(int64_t{1}), Scalar(apart), true), columns);
  // Above the main diagonal element i is in row i, below it in column i.
  const V elements = ops.unsqueeze(list, apart < 0 ? second_last : last);
  const V zero = FullLike(ops, elements, 0);
  const V matrices = ops.where(on_diagonal, elements, zero);
  std::vector<int> order;
  for (int axis = 0, taken = 0; axis <= rank; ++axis) {
    order.push_back(axis == *row ? rank - 1 : axis == *column ? rank : taken++);
  }
  *out = ops.transpose(matrices, order);
}

// Each slice `repeats` times in a row. Not an operator's composite itself.
template <typename Ops, typename V>
V Repeated(Ops& ops, const V& x, int repeats, int axis, int64_t output_size) {
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
  const V repeated = ops.tile(ops.unsqueeze(x, {int64_t{*at} + 1}), times);
  return ops.flatten(repeated, *at, *at + 1);
}

// Each slice as often as a tensor says. Not an operator's composite itself.
template <typename Ops, typename V>
V RepeatedEach(Ops& ops, const V& x, const V& repeats, int axis,
               int64_t output_size) {
  return ops.index_select(x, ops.repeat_indices(x, repeats, axis, output_size),
                          axis);
}

// x with each slice repeated in place. Gradients are those of tile.
template <typename Ops, typename V = typename Ops::Value>
void RepeatInterleave(Ops& ops, const V& x, int repeats, int axis,
                      int64_t output_size, V* out) {
  if (out != nullptr) *out = Repeated(ops, x, repeats, axis, output_size);
}

// Repeats slices as often as a tensor says. Gradients are those of
// index_select.
template <typename Ops, typename V = typename Ops::Value>
void RepeatInterleaveWithTensorIndex(Ops& ops, const V& x, const V& repeats,
                                     int axis, int64_t output_size, V* out) {
  if (out != nullptr) *out = RepeatedEach(ops, x, repeats, axis, output_size);
}

// Repeats slices as a tensor or a number says.
template <typename Ops, typename V = typename Ops::Value>
void LegacyRepeatInterleave(Ops& ops, const V& x, const V& repeats_tensor,
                            int repeats, int axis, int64_t output_size,
                            V* out) {
  if (out == nullptr) return;
  *out = ops.defined(repeats_tensor)
             ? RepeatedEach(ops, x, repeats_tensor, axis, output_size)
             : Repeated(ops, x, repeats, axis, output_size);
}

// Row i of the tensor that element i of the index names.
template <typename Ops, typename V = typename Ops::Value>
void Multiplex(Ops& ops, const typename Ops::List& x, const V& index, V* out) {
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
  const V tensors = ops.cast(ops.reshape(index, column), DataType::kInt64);
  const V ones =
      ops.full_like(tensors, Scalar(int64_t{1}), DataType::kUndefined);
  const V rows = ops.cumsum(ones, 0, false, /*exclusive=*/true, false);
  const std::vector<int64_t> first = {0, 0, 0, 1}, second = {0, 0, 1, 0};
  const V places = ops.add(ops.pad(tensors, first, Scalar(int64_t{0})),
                           ops.pad(rows, second, Scalar(int64_t{0})));
  *out = ops.gather_nd(ops.stack(x, 0), places);
}

// The gradient of crop's gradient: what crop takes of it.
template <typename Ops, typename V = typename Ops::Value>
void CropGradGrad(Ops& ops, const V& x_grad_grad, AttrArg<IntArray> shape,
                  AttrArg<IntArray> offsets, V* out_grad_grad) {
  if (out_grad_grad == nullptr) return;
  *out_grad_grad = ops.crop(x_grad_grad, shape, offsets);
}

// The part that begins at an offset, of a shape or of that of y.
template <typename Ops, typename V = typename Ops::Value>
void LegacyCrop(Ops& ops, const V& x, const V& y, AttrArg<IntArray> offsets,
                AttrArg<IntArray> shape, V* out) {
  if (out == nullptr) return;
  if (!ops.defined(y)) {
    *out = ops.crop(x, shape, offsets);
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
  *out = ops.crop(x, extents, offsets);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_
