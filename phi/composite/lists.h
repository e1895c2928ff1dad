// SPDX-License-Identifier: Apache-2.0
// Lists of values that a composite makes itself. Not an operator's composite
// itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_LISTS_H_
#define SWITCHYARD_PHI_COMPOSITE_LISTS_H_

#include <type_traits>
#include <vector>

namespace switchyard::phi::composite {

// The values one after the other along `axis`.
template <typename Ops, typename V>
V Joined(Ops& ops, const std::vector<V>& parts, int axis) {
  using List = typename Ops::List;
  if constexpr (std::is_convertible_v<const std::vector<V>&, List>) {
    return ops.concat(List(parts), axis);
  } else {
    std::vector<const V*> pointers;
    for (const V& part : parts) pointers.push_back(&part);
    return ops.concat(List(pointers), axis);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LISTS_H_
