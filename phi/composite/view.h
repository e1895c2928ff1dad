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
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

// The gradient of reshape: the old shape again. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ReshapeGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ReshapeLike(ops, out_grad, x, "x");
}

// The gradient of flatten, squeeze and unsqueeze: the old shape again, also if
// several extents are unknown. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ReshapedGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = CanReshapeTo(Extents(ops.shape(x)))
                ? ReshapeLike(ops, out_grad, x, "x")
                : ops.reshape_grad(x, out_grad);
}

// The gradient of transpose: the inverse permutation (of axes in [-rank,
// rank)). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TransposeGrad(Ops& ops, const V& out_grad, absl::Span<const int> perm,
                   V* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = static_cast<int>(perm.size());
  std::vector<int> inverse(perm.size());
  for (int axis = 0; axis < rank; ++axis) {
    inverse[perm[axis] < 0 ? perm[axis] + rank : perm[axis]] = axis;
  }
  *x_grad = ops.transpose(out_grad, inverse);
}

// The gradient of split: the parts joined again. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SplitGrad(Ops& ops, const typename Ops::List& out_grad, AttrArg<int> axis,
               V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.concat(out_grad, axis);
}

// Gradient of slice: out_grad with zeros around it. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SliceGrad(Ops& ops, const V& input, const V& out_grad,
               absl::Span<const int64_t> axes, IntArray starts, IntArray,
               V* input_grad) {
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
  *input_grad = ops.pad(out_grad, paddings, Scalar(0.0));
}

// Gradient of legacy_slice: what SliceGrad gives, after out_grad has its
// dropped axes again. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LegacySliceGrad(Ops& ops, const V& input, const V& out_grad,
                     absl::Span<const int64_t> axes, IntArray starts,
                     IntArray ends, absl::Span<const int64_t> decrease_axis,
                     V* input_grad) {
  const int64_t rank = ops.shape(input).rank();
  std::vector<bool> gone(static_cast<size_t>(rank));
  for (const int64_t axis : decrease_axis) {
    gone[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  std::vector<int64_t> dropped;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (gone[static_cast<size_t>(axis)]) dropped.push_back(axis);
  }
  const V whole = dropped.empty() ? out_grad : ops.unsqueeze(out_grad, dropped);
  SliceGrad(ops, input, whole, axes, starts, ends, input_grad);
}

// The gradient of step_slice_grad by out_grad: what step_slice takes.
template <typename Ops, typename V = typename Ops::Value>
void StepSliceGradGrad(Ops& ops, const V& x_grad_grad,
                       absl::Span<const int64_t> axes, IntArray starts,
                       IntArray ends, IntArray steps, V* out_grad_grad) {
  if (out_grad_grad == nullptr) return;
  *out_grad_grad = ops.step_slice(x_grad_grad, axes, starts, ends, steps);
}

// The gradient of broadcasting x to a larger shape (expand, expand_as): the sum
// over what was repeated. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ExpandGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.reduce_as(out_grad, x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_VIEW_H_
