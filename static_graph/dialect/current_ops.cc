// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/current_ops.h"

#include "phi/core/op_table.h"
#include "static_graph/dialect/composed_meta.h"
#include "static_graph/dialect/every_operator.h"

namespace switchyard::static_graph {

std::vector<const DialectOp*> CurrentDialectOps() {
  const auto generated = AllDialectOps();
  std::vector<const DialectOp*> ops;
  for (const DialectOp* op : generated) ops.push_back(WithKernels(op));
  for (const phi::AddedOp* added : phi::OpTable::Current().ops()) {
    ops.push_back(added->dialect);
  }
  return ops;
}

}  // namespace switchyard::static_graph
