// SPDX-License-Identifier: Apache-2.0
// The step that makes a factor of a product a factor of its gradient. Not an
// operator's composite itself.
//
// The gradient of a real loss by z = x + iy is dL/dx + i dL/dy, as in Paddle
// and PyTorch: of a product z w it is that of the result times conj(w).
#ifndef SWITCHYARD_PHI_COMPOSITE_CONJUGATE_H_
#define SWITCHYARD_PHI_COMPOSITE_CONJUGATE_H_

#include "framework/types/data_type.h"
#include "phi/composite/calls/conj.gen.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The conjugate of v; v itself unless it is complex.
inline Value Conjugated(Ops& ops, const Value& v) {
  if (!IsComplex(ops.dtype(v))) return v;
  return op::conj(ops, v);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CONJUGATE_H_
