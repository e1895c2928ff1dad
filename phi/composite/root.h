// SPDX-License-Identifier: Apache-2.0
// Roots of sums, as steps of composites: without a gradient that is infinite at
// 0. Not operators' composites themselves.
#ifndef SWITCHYARD_PHI_COMPOSITE_ROOT_H_
#define SWITCHYARD_PHI_COMPOSITE_ROOT_H_

#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// Returns sqrt(v), whose gradient is 0 where v is, not infinite: the length of
// a vector of zeros has none.
template <typename Ops, typename V>
V RootOfSum(Ops& ops, const V& v) {
  const V zero = ops.equal(v, FullLike(ops, v, 0));
  const V held = ops.where(zero, FullLike(ops, v, 1), v);
  return ops.where(zero, FullLike(ops, v, 0), ops.sqrt(held));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ROOT_H_
