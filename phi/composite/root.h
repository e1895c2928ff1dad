// SPDX-License-Identifier: Apache-2.0
// Roots of sums, as steps of composites: without a gradient that is infinite at
// 0. Not operators' composites themselves.
#ifndef SWITCHYARD_PHI_COMPOSITE_ROOT_H_
#define SWITCHYARD_PHI_COMPOSITE_ROOT_H_

#include "phi/composite/calls/equal.gen.h"
#include "phi/composite/calls/sqrt.gen.h"
#include "phi/composite/calls/where.gen.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Returns sqrt(v), whose gradient is 0 where v is, not infinite: the length of
// a vector of zeros has none.
inline Value RootOfSum(Ops& ops, const Value& v) {
  const Value zero = op::equal(ops, v, FullLike(ops, v, 0));
  const Value held = op::where(ops, zero, FullLike(ops, v, 1), v);
  return op::where(ops, zero, FullLike(ops, v, 0), op::sqrt(ops, held));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ROOT_H_
