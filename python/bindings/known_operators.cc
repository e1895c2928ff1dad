// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/known_operators.h"

#include "framework/base/hash_map.h"
#include "phi/core/op_table.h"
#include "python/bindings/python_ops.h"

namespace switchyard::python {

std::vector<const eager::EagerOp*> KnownOperators() {
  std::vector<const eager::EagerOp*> known;
  HashSet<const phi::OpInfo*> seen;
  for (const PythonOp& op : PythonOps()) {
    // Operators may share a gradient, or be their own.
    for (const eager::EagerOp* next = op.eager;
         next != nullptr && seen.insert(next->info).second;
         next = next->backward) {
      known.push_back(next);
    }
  }
  for (const phi::AddedOp* op : phi::OpTable::Current().ops()) {
    known.push_back(op->eager);
  }
  return known;
}

}  // namespace switchyard::python
