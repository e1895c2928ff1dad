// SPDX-License-Identifier: Apache-2.0
// x * y, the smaller operand at `axis` of the other.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_MUL_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_MUL_H_

#include "phi/composite/aligned.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMul(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis,
                 [&](const V& a, const V& b) { return ops.multiply(a, b); });
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_MUL_H_
