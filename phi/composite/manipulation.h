// SPDX-License-Identifier: Apache-2.0
// The gradients of operators that move elements, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_MANIPULATION_H_
#define SWITCHYARD_PHI_COMPOSITE_MANIPULATION_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_manipulation.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The gradient of operators that copy elements as they are (assign,
// contiguous). Differentiable again.
inline void AssignGrad(Ops& ops, const Value& out_grad, Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::assign(ops, out_grad);
}

// The gradient of copy: copied back to where x lies. Differentiable again.
inline void CopyGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::copy(ops, out_grad, ops.place(x));
}

// The gradient of cast: cast back. Differentiable again.
inline void CastGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::cast(ops, out_grad, ops.dtype(x));
}

// Gradient of concat: out_grad cut into the pieces again. Differentiable
// again.
inline void ConcatGrad(Ops& ops, const List& x, const Value& out_grad, int axis,
                       OutputList x_grad) {
  if (!x_grad.any()) return;
  std::vector<int64_t> sections;
  int unknown = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const Shape shape = ops.shape(x[i]);
    const Dim extent = shape[axis < 0 ? axis + shape.rank() : axis];
    sections.push_back(extent.known() ? extent.value() : -1);
    unknown += !extent.known();
  }
  // split finds out one of them.
  if (unknown > 1) return ops.Fail(UnknownShapeError("x"));
  const std::vector<Value> pieces = op::split(ops, out_grad, sections, axis);
  for (size_t i = 0; i < x_grad.size(); ++i) {
    if (x_grad[i] != nullptr) *x_grad[i] = pieces[i];
  }
}

// Gradient of stack: out_grad cut into slices. Differentiable again.
inline void StackGrad(Ops& ops, const List& x, const Value& out_grad, int axis,
                      OutputList x_grad) {
  if (!x_grad.any()) return;
  const std::vector<int64_t> sections(x.size(), 1);
  const int64_t axes[] = {axis};
  const std::vector<Value> slices = op::split(ops, out_grad, sections, axis);
  for (size_t i = 0; i < x_grad.size(); ++i) {
    if (x_grad[i] != nullptr) *x_grad[i] = op::squeeze(ops, slices[i], axes);
  }
}

// Gradient of tile: the sum over the copies, axis by axis: an axis of r copies
// of d elements is [r, d], summed over r. Differentiable again.
inline void TileGrad(Ops& ops, const Value& x, const Value& out_grad,
                     IntArray repeat_times, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Shape shape = ops.shape(x);
  const std::vector<int64_t> own = Extents(shape);
  const int rank = ops.shape(out_grad).rank();
  const int lead = rank - shape.rank();
  const int silent = rank - static_cast<int>(repeat_times.size());
  const auto zeros = [&] { return FullLike(ops, x, 0); };
  for (const int64_t extent : own) {
    if (extent == 0) {
      *x_grad = zeros();
      return;
    }
  }
  Value grad = out_grad;
  // Extents after the axis at hand are x's own already; -1 is unknown.
  int64_t after = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const int64_t repeat = axis < silent ? 1 : repeat_times[axis - silent];
    const int64_t extent = axis < lead ? 1 : own[axis - lead];
    if (extent < 0) return ops.Fail(UnknownShapeError("x"));
    after *= extent;
    if (repeat == 1) continue;
    if (repeat == 0) {
      *x_grad = zeros();
      return;
    }
    const std::vector<int64_t> copies = {-1, repeat, after};
    const int64_t axes[] = {1};
    grad = op::sum(ops, op::reshape(ops, grad, copies), axes,
                   DataType::kUndefined, false);
  }
  *x_grad = ReshapeTo(ops, grad, own);
}

// Gradient of pad: out_grad without the paddings. Differentiable again.
inline void PadGrad(Ops& ops, const Value& x, const Value& out_grad,
                    absl::Span<const int64_t> paddings, Value* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = ops.shape(x).rank();
  std::vector<int64_t> axes, starts, ends;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t after = paddings[2 * axis + 1];
    axes.push_back(axis);
    starts.push_back(paddings[2 * axis]);
    ends.push_back(after > 0 ? -after : std::numeric_limits<int64_t>::max());
  }
  *x_grad = op::slice(ops, out_grad, axes, starts, ends);
}

// Gradient of flip: flipped back. Differentiable again.
inline void FlipGrad(Ops& ops, const Value& out_grad,
                     absl::Span<const int> axis, Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::flip(ops, out_grad, axis);
}

// The number of elements: the product of the extents.
inline void Numel(Ops& ops, const Value& x, Value* out) {
  if (out != nullptr) *out = op::prod(ops, op::shape(ops, x), {}, false);
}

// Whether the number of elements is 0.
inline void IsEmpty(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const Value count = op::prod(ops, op::shape(ops, x), {}, false);
  const Value none =
      op::full_like(ops, count, Scalar(int64_t{0}), DataType::kUndefined);
  *out = op::equal(ops, count, none);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MANIPULATION_H_
