// SPDX-License-Identifier: Apache-2.0
// The gradients of eigenvalues, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SPECTRUM_H_
#define SWITCHYARD_PHI_COMPOSITE_SPECTRUM_H_

#include <vector>

#include "phi/composite/calls/of_spectrum.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The gradient of eigvals: that of eig, whose vectors have none.
inline void EigvalsGrad(Ops& ops, const Value& x, const Value& eigenvalues_grad,
                        Value* x_grad) {
  if (x_grad == nullptr) return;
  const std::vector<Value> parts = op::eig(ops, x);
  *x_grad = op::eig_grad(ops, x, parts[0], parts[1], eigenvalues_grad,
                         FullLike(ops, parts[1], 0));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SPECTRUM_H_
