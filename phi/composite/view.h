// SPDX-License-Identifier: Apache-2.0
// The gradients of views, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_VIEW_H_
#define SWITCHYARD_PHI_COMPOSITE_VIEW_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/attr_arg.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_view.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The gradient of reshape: the old shape again. Differentiable again.
inline void ReshapeGrad(Ops& ops, const Value& x, const Value& out_grad,
                        Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ReshapeLike(ops, out_grad, x, "x");
}

// The gradient of flatten, squeeze and unsqueeze: the old shape again, also if
// several extents are unknown. Differentiable again.
inline void ReshapedGrad(Ops& ops, const Value& x, const Value& out_grad,
                         Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = CanReshapeTo(Extents(ops.shape(x)))
                ? ReshapeLike(ops, out_grad, x, "x")
                : op::reshape_grad(ops, x, out_grad);
}

// The gradient of transpose: the inverse permutation (of axes in [-rank,
// rank)). Differentiable again.
inline void TransposeGrad(Ops& ops, const Value& out_grad,
                          absl::Span<const int> perm, Value* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = static_cast<int>(perm.size());
  std::vector<int> inverse(perm.size());
  for (int axis = 0; axis < rank; ++axis) {
    inverse[perm[axis] < 0 ? perm[axis] + rank : perm[axis]] = axis;
  }
  *x_grad = op::transpose(ops, out_grad, inverse);
}

// The gradient of split: the parts joined again. Differentiable again.
inline void SplitGrad(Ops& ops, const List& out_grad, AttrArg<int> axis,
                      Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::concat(ops, out_grad, axis);
}

// Gradient of slice: out_grad with zeros around it. Differentiable again.
inline void SliceGrad(Ops& ops, const Value& input, const Value& out_grad,
                      absl::Span<const int64_t> axes, IntArray starts, IntArray,
                      Value* input_grad) {
  if (input_grad == nullptr) return;
  const Shape shape = ops.shape(input);
  const Shape cut = ops.shape(out_grad);
  std::vector<int64_t> paddings(2 * shape.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis =
        static_cast<int>(axes[i] < 0 ? axes[i] + shape.rank() : axes[i]);
    if (!shape[axis].known() || axis >= cut.rank() || !cut[axis].known()) {
      return ops.Fail(UnknownShapeError("sliced axis"));
    }
    const int64_t extent = shape.extent(axis);
    const int64_t start = starts[i] < 0
                              ? std::max<int64_t>(0, starts[i] + extent)
                              : std::min(starts[i], extent);
    paddings[2 * axis] = start;
    paddings[2 * axis + 1] = extent - start - cut.extent(axis);
  }
  *input_grad = op::pad(ops, out_grad, paddings, Scalar(0.0));
}

// Gradient of legacy_slice: what SliceGrad gives, after out_grad has its
// dropped axes again. Differentiable again.
inline void LegacySliceGrad(Ops& ops, const Value& input, const Value& out_grad,
                            absl::Span<const int64_t> axes, IntArray starts,
                            IntArray ends,
                            absl::Span<const int64_t> decrease_axis,
                            Value* input_grad) {
  const int64_t rank = ops.shape(input).rank();
  std::vector<bool> gone(static_cast<size_t>(rank));
  for (const int64_t axis : decrease_axis) {
    gone[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  std::vector<int64_t> dropped;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (gone[static_cast<size_t>(axis)]) dropped.push_back(axis);
  }
  const Value whole =
      dropped.empty() ? out_grad : op::unsqueeze(ops, out_grad, dropped);
  SliceGrad(ops, input, whole, axes, starts, ends, input_grad);
}

// The gradient of step_slice_grad by out_grad: what step_slice takes.
inline void StepSliceGradGrad(Ops& ops, const Value& x_grad_grad,
                              absl::Span<const int64_t> axes, IntArray starts,
                              IntArray ends, IntArray steps,
                              Value* out_grad_grad) {
  if (out_grad_grad == nullptr) return;
  *out_grad_grad = op::step_slice(ops, x_grad_grad, axes, starts, ends, steps);
}

// The gradient of broadcasting x to a larger shape (expand, expand_as): the sum
// over what was repeated. Differentiable again.
inline void ExpandGrad(Ops& ops, const Value& x, const Value& out_grad,
                       Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::reduce_as(ops, out_grad, x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_VIEW_H_
