// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/op_definition.h"

#include <algorithm>
#include <functional>

namespace switchyard::static_graph::ir {

void OpDefinition::Insert(TypeId id, const void* interface) {
  if (entries_.empty()) entries_.reserve(8);  // Few operators have more.
  const auto place =
      std::lower_bound(entries_.begin(), entries_.end(), id,
                       [](const Entry& entry, TypeId other) {
                         return std::less<TypeId>()(entry.first, other);
                       });
  if (place != entries_.end() && place->first == id) {
    place->second = interface;
  } else {
    entries_.insert(place, {id, interface});
  }
}

}  // namespace switchyard::static_graph::ir
