// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/op_definition.h"

#include <functional>

namespace switchyard::static_graph::ir {

void OpDefinition::Insert(TypeId id, const void* interface) {
  if (entries_.empty()) entries_.reserve(8);  // Few operators have more.
  auto place = entries_.end();
  while (place != entries_.begin() &&
         std::less<TypeId>()(id, (place - 1)->first)) {
    --place;
  }
  if (place != entries_.begin() && (place - 1)->first == id) {
    (place - 1)->second = interface;
  } else {
    entries_.insert(place, {id, interface});
  }
}

}  // namespace switchyard::static_graph::ir
