// SPDX-License-Identifier: Apache-2.0
// The gradient of dropout from its mask: what was kept gets the factor that its
// element got. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_DROPOUT_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_DROPOUT_GRAD_H_

#include <string_view>

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void DropoutGrad(Ops& ops, const V& mask, const V& out_grad, float p,
                 bool is_test, std::string_view mode, V* x_grad) {
  if (x_grad == nullptr) return;
  const bool upscale = mode == "upscale_in_train";
  double factor = 1;
  if (is_test && !upscale) factor = 1 - double{p};
  if (!is_test && upscale && p < 1) factor = 1 / (1 - double{p});
  const V kept =
      is_test ? out_grad
              : ops.multiply(out_grad, ops.cast(mask, ops.dtype(out_grad)));
  *x_grad = ops.scale(kept, Scalar(factor), Scalar(0.0), true);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_DROPOUT_GRAD_H_
