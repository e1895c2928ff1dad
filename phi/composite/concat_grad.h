// SPDX-License-Identifier: Apache-2.0
// Gradient of concat: out_grad cut into the pieces again. Differentiable
// again.
#ifndef SWITCHYARD_PHI_COMPOSITE_CONCAT_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_CONCAT_GRAD_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/shape.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ConcatGrad(Ops& ops, const typename Ops::List& x, const V& out_grad,
                int axis, typename Ops::OutputList x_grad) {
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
  const std::vector<V> pieces = ops.split(out_grad, sections, axis);
  for (size_t i = 0; i < x_grad.size(); ++i) {
    if (x_grad[i] != nullptr) *x_grad[i] = pieces[i];
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CONCAT_GRAD_H_
