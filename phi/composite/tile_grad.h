// SPDX-License-Identifier: Apache-2.0
// Gradient of tile: the sum over the copies, axis by axis: an axis of r copies
// of d elements is [r, d], summed over r. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_TILE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_TILE_GRAD_H_

#include <cstdint>
#include <vector>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TileGrad(Ops& ops, const V& x, const V& out_grad, IntArray repeat_times,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const Shape shape = ops.shape(x);
  const std::vector<int64_t> own = Extents(shape);
  const int rank = ops.shape(out_grad).rank();
  const int lead = rank - shape.rank();
  const int silent = rank - static_cast<int>(repeat_times.size());
  const auto zeros = [&] {
    return ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  };
  for (const int64_t extent : own) {
    if (extent == 0) {
      *x_grad = zeros();
      return;
    }
  }
  V grad = out_grad;
  // Extents behind the axis at hand are x's own already; -1 is unknown.
  int64_t behind = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const int64_t repeat = axis < silent ? 1 : repeat_times[axis - silent];
    const int64_t extent = axis < lead ? 1 : own[axis - lead];
    if (extent < 0) return ops.Fail(UnknownShapeError("x"));
    behind *= extent;
    if (repeat == 1) continue;
    if (repeat == 0) {
      *x_grad = zeros();
      return;
    }
    const std::vector<int64_t> copies = {-1, repeat, behind};
    const int64_t axes[] = {1};
    grad =
        ops.sum(ops.reshape(grad, copies), axes, DataType::kUndefined, false);
  }
  *x_grad = ReshapeTo(ops, grad, own);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TILE_GRAD_H_
