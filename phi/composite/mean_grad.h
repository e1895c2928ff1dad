// SPDX-License-Identifier: Apache-2.0
// The gradient of mean over `axis` (empty: all): repeated along it, divided by
// the number of elements. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_MEAN_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_MEAN_GRAD_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/extents.h"
#include "phi/composite/reduced_shape.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void MeanGrad(Ops& ops, const V& x, const V& out_grad,
              absl::Span<const int64_t> axis, bool keepdim, V* x_grad) {
  if (x_grad == nullptr) return;
  const Shape shape = ops.shape(x);
  const std::array<bool, kMaxRank> reduced = Reduced(axis, shape.rank());
  double count = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!reduced[i]) continue;
    if (!shape[i].known()) return ops.Fail(UnknownShapeError("reduced axis"));
    count *= static_cast<double>(shape[i].value());
  }
  // An empty mean has no elements to give a gradient to.
  const V kept = KeepReducedAxes(ops, x, out_grad, axis, keepdim);
  const V share =
      ops.scale(kept, Scalar(count > 0 ? 1.0 / count : 0.0), Scalar(0.0), true);
  *x_grad = ops.expand_as(share, x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MEAN_GRAD_H_
