// SPDX-License-Identifier: Apache-2.0
// Helpers of the gradients of reductions: the result's gradient put back to the
// rank of x. Not an operator's composite itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_REDUCED_SHAPE_H_
#define SWITCHYARD_PHI_COMPOSITE_REDUCED_SHAPE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/full_like.gen.h"
#include "phi/composite/calls/sum.gen.h"
#include "phi/composite/calls/sum_grad.gen.h"
#include "phi/composite/calls/unsqueeze.gen.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// True for each axis of `rank` that a reduction over `axes` (empty: all) folds.
inline std::array<bool, kMaxRank> Reduced(absl::Span<const int64_t> axes,
                                          int rank) {
  std::array<bool, kMaxRank> reduced = {};
  if (rank == 0) return reduced;  // Its axes 0 and -1 are none.
  for (int axis = 0; axis < rank; ++axis) reduced[axis] = axes.empty();
  for (int64_t axis : axes) reduced[axis < 0 ? axis + rank : axis] = true;
  return reduced;
}

// `grad`, the gradient of a reduction of x over `axes`, with the folded axes
// back in place as extent 1, so that it broadcasts to x.
inline Value KeepReducedAxes(Ops& ops, const Value& x, const Value& grad,
                             absl::Span<const int64_t> axes, bool keepdim) {
  const Shape shape = ops.shape(x);
  if (keepdim || shape.rank() == 0) return grad;
  const std::array<bool, kMaxRank> reduced = Reduced(axes, shape.rank());
  std::vector<int64_t> extents = Extents(shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (reduced[axis]) extents[axis] = 1;
  }
  if (CanReshapeTo(extents)) return ReshapeTo(ops, grad, extents);
  // Needs no extents.
  std::vector<int64_t> folded;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (reduced[axis]) folded.push_back(axis);
  }
  return op::unsqueeze(ops, grad, folded);
}

// `grad` so that it broadcasts to x, where the axes may not be known: then it
// is repeated along them at once.
inline Value AlongReducedAxes(Ops& ops, const Value& x, const Value& grad,
                              AttrArg<IntArray> axes, bool keepdim) {
  if (!axes.known()) return op::sum_grad(ops, x, grad, axes, keepdim);
  return KeepReducedAxes(ops, x, grad, axes.value(), keepdim);
}

// The elements of x that a reduction over `axes` folds into one, counted, with
// the folded axes in place as extent 1: of dtype `dtype`.
inline Value CountReduced(Ops& ops, const Value& x, AttrArg<IntArray> axes,
                          DataType dtype) {
  return op::sum(ops, op::full_like(ops, x, Scalar(1.0), dtype), axes, dtype,
                 /*keepdim=*/true);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_REDUCED_SHAPE_H_
