// SPDX-License-Identifier: Apache-2.0
// The gradient of batch_norm, from x, since the statistics that the operator
// saves have no gradients. Differentiable again; where the running statistics
// are used they are constants.
#ifndef SWITCHYARD_PHI_COMPOSITE_BATCH_NORM_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_BATCH_NORM_GRAD_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "phi/composite/normalized_grad.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void BatchNormGrad(Ops& ops, const V& x, const V& scale, const V& bias,
                   const V& saved_mean, const V& saved_variance,
                   const V& out_grad, float epsilon,
                   std::string_view data_format, bool is_test,
                   bool use_global_stats, bool trainable_statistics, V* x_grad,
                   V* scale_grad, V* bias_grad) {
  (void)bias;
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  const int channel = data_format == "NHWC" ? rank - 1 : 1;
  std::vector<int64_t> folded, broadcast(rank, 1);
  bool alone = true;  // Each channel has one element.
  for (int axis = 0; axis < rank; ++axis) {
    if (axis == channel) continue;
    folded.push_back(axis);
    // An unknown number of elements is taken for more than one.
    alone &= shape[axis].known() && shape[axis].value() == 1;
  }
  broadcast[channel] = -1;
  const auto along = [&](const V& v) { return ops.reshape(v, broadcast); };
  NormalizedGrad<Ops> grad(ops, x, out_grad);
  if ((is_test && !trainable_statistics) || use_global_stats) {
    grad.UseConstants(along(saved_mean), along(saved_variance));
  } else if (alone) {
    grad.PassOn();
  } else {
    grad.UseStatistics(folded, epsilon);
  }
  if (ops.defined(scale)) grad.Scale(along(scale));
  const std::vector<int64_t> channels = {-1};
  grad.ParameterGrads(folded, channels, scale_grad, bias_grad);
  if (x_grad != nullptr) *x_grad = grad.InputGrad();
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_BATCH_NORM_GRAD_H_
