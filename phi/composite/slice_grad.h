// SPDX-License-Identifier: Apache-2.0
// Gradient of slice: out_grad with zeros around it. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SLICE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SLICE_GRAD_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

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

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SLICE_GRAD_H_
