// SPDX-License-Identifier: Apache-2.0
// Lists of values that a composite makes itself. Not an operator's composite
// itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_LISTS_H_
#define SWITCHYARD_PHI_COMPOSITE_LISTS_H_

#include <vector>

#include "phi/composite/calls/concat.gen.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The values one after the other along `axis`.
inline Value Joined(Ops& ops, const std::vector<Value>& parts, int axis) {
  std::vector<const Value*> pointers;
  for (const Value& part : parts) pointers.push_back(&part);
  return op::concat(ops, List(pointers), axis);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LISTS_H_
