// SPDX-License-Identifier: Apache-2.0
// The gradients of eigenvalues, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SPECTRUM_H_
#define SWITCHYARD_PHI_COMPOSITE_SPECTRUM_H_

#include <vector>

#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// The gradient of eigvals: that of eig, whose vectors have none.
template <typename Ops, typename V = typename Ops::Value>
void EigvalsGrad(Ops& ops, const V& x, const V& eigenvalues_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const std::vector<V> parts = ops.eig(x);
  *x_grad = ops.eig_grad(x, parts[0], parts[1], eigenvalues_grad,
                         FullLike(ops, parts[1], 0));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SPECTRUM_H_
