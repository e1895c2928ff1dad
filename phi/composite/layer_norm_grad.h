// SPDX-License-Identifier: Apache-2.0
// The gradient of layer_norm, from x, since the statistics that the operator
// saves have no gradients. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_LAYER_NORM_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LAYER_NORM_GRAD_H_

#include <cstdint>
#include <vector>

#include "phi/composite/extents.h"
#include "phi/composite/normalized_grad.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LayerNormGrad(Ops& ops, const V& x, const V& scale, const V& bias,
                   const V& mean, const V& variance, const V& out_grad,
                   float epsilon, int begin_norm_axis, V* x_grad, V* scale_grad,
                   V* bias_grad) {
  (void)bias, (void)mean, (void)variance;
  const Shape shape = ops.shape(x);
  std::vector<int64_t> rows, normalized;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    (axis < begin_norm_axis ? rows : normalized).push_back(axis);
  }
  NormalizedGrad<Ops> grad(ops, x, out_grad);
  grad.UseStatistics(normalized, epsilon);
  if (ops.defined(scale)) {
    const std::vector<int64_t> all = Extents(shape);
    const std::vector<int64_t> own(all.begin() + begin_norm_axis, all.end());
    if (!CanReshapeTo(own)) return ops.Fail(UnknownShapeError("x"));
    grad.Scale(ReshapeTo(ops, scale, own));
  }
  const std::vector<int64_t> flat = {-1};
  grad.ParameterGrads(rows, flat, scale_grad, bias_grad);
  if (x_grad != nullptr) *x_grad = grad.InputGrad();
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LAYER_NORM_GRAD_H_
