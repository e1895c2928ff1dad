// SPDX-License-Identifier: Apache-2.0
// Parts of tensors that are replaced, and gradients, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_ASSIGNMENT_H_
#define SWITCHYARD_PHI_COMPOSITE_ASSIGNMENT_H_

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
#include "phi/composite/calls/of_assignment.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace assignment {

// The extents of a slice as a value is broadcast to them: without the axes
// `decrease_axes`, with an axis of extent 1 before each of `none_axes`.
inline std::vector<int64_t> AssignedExtents(
    const std::vector<int64_t>& slice, absl::Span<const int64_t> decrease_axes,
    absl::Span<const int64_t> none_axes) {
  const auto rank = static_cast<int64_t>(slice.size());
  std::vector<bool> dropped(slice.size());
  for (const int64_t axis : decrease_axes) {
    dropped[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  std::vector<int64_t> extents;
  size_t added = 0;
  for (int64_t axis = 0; axis <= rank; ++axis) {
    while (added < none_axes.size() &&
           (axis == rank || none_axes[added] <= axis)) {
      extents.push_back(1);
      ++added;
    }
    if (axis < rank && !dropped[static_cast<size_t>(axis)]) {
      extents.push_back(slice[static_cast<size_t>(axis)]);
    }
  }
  return extents;
}

// A slice as a value is broadcast to it, where its extents are not known.
inline Value AsAssigned(Ops& ops, const Value& slice,
                        absl::Span<const int64_t> decrease_axes,
                        absl::Span<const int64_t> none_axes) {
  Value part = slice;
  if (!decrease_axes.empty()) part = op::squeeze(ops, part, decrease_axes);
  const std::vector<int64_t> marked = AssignedExtents(
      std::vector<int64_t>(static_cast<size_t>(ops.shape(slice).rank()), 0),
      decrease_axes, none_axes);
  std::vector<int64_t> added;
  for (size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] == 1) added.push_back(static_cast<int64_t>(i));
  }
  return added.empty() ? part : op::unsqueeze(ops, part, added);
}

// Index tensors as one of int64: a row of its last axis for each choice. The
// column of an index tensor is itself; a mask has one for each of its axes.
inline Value StackedIndices(Ops& ops, const List& indices) {
  std::vector<Value> columns;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Value index = indices[i];
    const DataType dtype = ops.dtype(index);
    if (dtype == DataType::kInt32 || dtype == DataType::kInt64) {
      columns.push_back(op::cast(ops, index, DataType::kInt64));
      continue;
    }
    if (dtype != DataType::kBool) {
      ops.Fail(TypeError("indices", "int32, int64 or bool", Name(dtype)));
    }
    const int axes = ops.shape(index).rank();
    if (axes == 0) {
      ops.Fail(ArgumentError("indices", "masks of rank 1 or more", "a scalar"));
    }
    const std::vector<int64_t> ones(static_cast<size_t>(axes), 1);
    for (const Value& column :
         op::split(ops, op::nonzero(ops, index), ones, 1)) {
      columns.push_back(op::squeeze(ops, column, {int64_t{1}}));
    }
  }
  if (columns.empty()) {
    ops.Fail(ArgumentError("indices", "of one tensor or more", "none"));
  }
  // Each column beside zeros in the place of the others: their sum, broadcast,
  // has them side by side.
  const auto count = static_cast<int64_t>(columns.size());
  Value stacked;
  for (int64_t i = 0; i < count; ++i) {
    const int rank = ops.shape(columns[i]).rank();
    Value column = op::unsqueeze(ops, columns[i], {int64_t{rank}});
    std::vector<int64_t> paddings(2 * static_cast<size_t>(rank + 1), 0);
    paddings[2 * static_cast<size_t>(rank)] = i;
    paddings[2 * static_cast<size_t>(rank) + 1] = count - 1 - i;
    if (count > 1) column = op::pad(ops, column, paddings, Scalar(int64_t{0}));
    stacked = i == 0 ? column : op::add(ops, stacked, column);
  }
  return stacked;
}

}  // namespace assignment

// The gradient of legacy_set_value: for x out_grad without what was replaced,
// for the value that part, summed where it was broadcast.
inline void SetValueGrad(Ops& ops, const Value& value_tensor,
                         const Value& out_grad, absl::Span<const int64_t> axes,
                         AttrArg<IntArray> starts, AttrArg<IntArray> ends,
                         AttrArg<IntArray> steps,
                         absl::Span<const int64_t> decrease_axes,
                         absl::Span<const int64_t> none_axes, Value* x_grad,
                         Value* value_tensor_grad) {
  if (x_grad != nullptr) {
    const int64_t one[] = {1};
    const Scalar zero[] = {Scalar(0.0)};
    *x_grad = op::legacy_set_value(ops, out_grad, Value(), axes, starts, ends,
                                   steps, {}, {}, one, zero);
  }
  if (value_tensor_grad == nullptr) return;
  const Value slice =
      op::strided_slice(ops, out_grad, axes, starts, ends, steps, {});
  const std::vector<int64_t> extents = assignment::AssignedExtents(
      Extents(ops.shape(slice)), decrease_axes, none_axes);
  const Value part =
      CanReshapeTo(extents)
          ? ReshapeTo(ops, slice, extents)
          : assignment::AsAssigned(ops, slice, decrease_axes, none_axes);
  if (!ops.defined(value_tensor)) {
    // That of a value of the slice's own shape.
    *value_tensor_grad = part;
    return;
  }
  // Extents of 1 in front of the value's own are no axes of the slice.
  const Shape value = ops.shape(value_tensor);
  std::vector<int64_t> front;
  while (value.rank() > static_cast<int>(extents.size() + front.size()) &&
         value[static_cast<int>(front.size())] == Dim(1)) {
    front.push_back(static_cast<int64_t>(front.size()));
  }
  Value grad = op::reduce_as(
      ops, part,
      front.empty() ? value_tensor : op::squeeze(ops, value_tensor, front));
  if (!front.empty()) grad = op::unsqueeze(ops, grad, front);
  const DataType dtype = ops.dtype(value_tensor);
  if (ops.dtype(grad) != dtype) grad = op::cast(ops, grad, dtype);
  *value_tensor_grad = grad;
}

// x with a slice replaced by numbers.
inline void SetValue(Ops& ops, const Value& x, AttrArg<IntArray> starts,
                     AttrArg<IntArray> ends, AttrArg<IntArray> steps,
                     absl::Span<const int64_t> axes,
                     absl::Span<const int64_t> decrease_axes,
                     absl::Span<const int64_t> none_axes,
                     absl::Span<const int64_t> shape,
                     absl::Span<const Scalar> values, Value* out) {
  if (out == nullptr) return;
  *out = op::legacy_set_value(ops, x, Value(), axes, starts, ends, steps,
                              decrease_axes, none_axes, shape, values);
}

// x with a slice replaced by a tensor.
inline void SetValueWithTensor(Ops& ops, const Value& x, const Value& values,
                               AttrArg<IntArray> starts, AttrArg<IntArray> ends,
                               AttrArg<IntArray> steps,
                               absl::Span<const int64_t> axes,
                               absl::Span<const int64_t> decrease_axes,
                               absl::Span<const int64_t> none_axes,
                               Value* out) {
  if (out == nullptr) return;
  *out = op::legacy_set_value(ops, x, values, axes, starts, ends, steps,
                              decrease_axes, none_axes, {}, {});
}

// Gradient of scatter_nd_update: out_grad without what was replaced, and that
// (also for updates that another one overwrote, as in Paddle). Differentiable
// again.
inline void ScatterNdUpdateGrad(Ops& ops, const Value& index,
                                const Value& updates, const Value& out_grad,
                                Value* x_grad, Value* updates_grad) {
  if (x_grad != nullptr) {
    const Value zeros = FullLike(ops, updates, 0);
    *x_grad = op::scatter_nd_update(ops, out_grad, index, zeros);
  }
  if (updates_grad != nullptr)
    *updates_grad = op::gather_nd(ops, out_grad, index);
}

// x with the elements that index tensors choose replaced, or added to.
inline void IndexPut(Ops& ops, const Value& x, const List& indices,
                     const Value& value, bool accumulate, Value* out) {
  if (out == nullptr) return;
  const Value index = assignment::StackedIndices(ops, indices);
  const Value updates = op::expand_as(ops, value, op::gather_nd(ops, x, index));
  *out = accumulate ? op::scatter_nd_add(ops, x, index, updates)
                    : op::scatter_nd_update(ops, x, index, updates);
}

// x where a mask is false, else a value. Gradients are those of where.
inline void MaskedFill(Ops& ops, const Value& x, const Value& mask,
                       const Value& value, Value* out) {
  if (out == nullptr) return;
  if (ops.dtype(mask) != DataType::kBool) {
    return ops.Fail(TypeError("mask", "bool", Name(ops.dtype(mask))));
  }
  if (ops.dtype(value) != ops.dtype(x)) {
    return ops.Fail(
        TypeError("value", Name(ops.dtype(x)), Name(ops.dtype(value))));
  }
  const auto shape = BroadcastShapes("mask", ops.shape(x), ops.shape(mask));
  if (!shape.ok()) return ops.Fail(shape.status());
  const auto whole = BroadcastShapes("value", *shape, ops.shape(value));
  if (!whole.ok()) return ops.Fail(whole.status());
  if (!MayEqual(*whole, *shape)) {
    return ops.Fail(ArgumentError(
        "value", "of a shape that broadcasts to " + ToString(*shape),
        ToString(ops.shape(value))));
  }
  *out = op::where(ops, mask, value, x);
}

// A number in the place of each element, to which nothing leads back.
inline void FillAny(Ops& ops, const Value& x, const Scalar& value, Value* out) {
  if (out == nullptr) return;
  const Value never = op::full_like(ops, x, Scalar(false), DataType::kBool);
  *out = op::where(ops, never, x,
                   op::full_like(ops, x, value, DataType::kUndefined));
}

// x with a diagonal replaced: its two axes go last and come back.
inline void FillDiagonalTensor(Ops& ops, const Value& x, const Value& y,
                               int64_t offset, int dim1, int dim2, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x), given = ops.shape(y);
  const int rank = shape.rank();
  if (rank < 2) {
    return ops.Fail(ArgumentError("x", "of rank 2 or more", ToString(shape)));
  }
  const auto row = NormalizeAxis("dim1", dim1, rank);
  if (!row.ok()) return ops.Fail(row.status());
  const auto column = NormalizeAxis("dim2", dim2, rank);
  if (!column.ok()) return ops.Fail(column.status());
  if (*row == *column) {
    return ops.Fail(
        ArgumentError("dim2", "another axis than dim1", std::to_string(dim2)));
  }
  if (!shape[*row].known() || !shape[*column].known()) {
    return ops.Fail(UnknownShapeError("x"));
  }
  const int64_t rows = shape[*row].value(), columns = shape[*column].value();
  const int64_t top = std::max<int64_t>(-offset, 0);
  const int64_t length =
      std::max<int64_t>(std::min(rows - top, columns - offset - top), 0);
  std::vector<Dim> wanted;
  std::vector<int> order, back(rank);
  for (int i = 0; i < rank; ++i) {
    if (i == *row || i == *column) continue;
    order.push_back(i);
    wanted.push_back(shape[i]);
  }
  order.push_back(*row);
  order.push_back(*column);
  for (int i = 0; i < rank; ++i) back[order[i]] = i;
  wanted.push_back(Dim(length));
  if (!MayEqual(given, Shape(wanted))) {
    return ops.Fail(ArgumentError("y", "of shape " + ToString(Shape(wanted)),
                                  ToString(given)));
  }
  if (length == 0) {
    *out = op::assign(ops, x);
    return;
  }
  const auto range = [&](int64_t from, int64_t count) {
    return op::arange(ops, Scalar(from), Scalar(from + count),
                      Scalar(int64_t{1}), DataType::kInt64);
  };
  const std::vector<int64_t> upright = {-1, 1}, last = {rank - 1};
  // Which element of the list each row would get, or the nearest one.
  const Value places =
      op::clip(ops, range(-top, rows), Scalar(int64_t{0}), Scalar(length - 1));
  const Value elements =
      op::unsqueeze(ops, op::index_select(ops, y, places, rank - 2), last);
  const Value here = op::equal(
      ops, op::reshape(ops, range(offset, rows), upright), range(0, columns));
  *out = op::transpose(
      ops, op::where(ops, here, elements, op::transpose(ops, x, order)), back);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ASSIGNMENT_H_
