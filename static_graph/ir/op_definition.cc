// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/op_definition.h"

namespace switchyard::static_graph::ir {

void OpDefinition::Insert(TypeId id, const void* interface) {
  if (entries_.empty()) entries_.reserve(8);  // Few operators have more.
  for (Entry& entry : entries_) {
    if (entry.first != id) continue;
    entry.second = interface;
    return;
  }
  entries_.emplace_back(id, interface);
}

}  // namespace switchyard::static_graph::ir
