// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/op_table.h"

#include "static_graph/dialect/every_operator.h"

namespace switchyard::python {

OpTable& OpTable::Current() {
  // Never destroyed: contexts and calls refer to its operators.
  static auto* const table = new OpTable();
  return *table;
}

std::vector<const phi::OpInfo*> OpTable::infos() const {
  std::vector<const phi::OpInfo*> infos;
  for (const PythonOp& op : PythonOps()) infos.push_back(op.eager->info);
  for (const PythonOp& op : added_) infos.push_back(op.eager->info);
  return infos;
}

std::vector<const static_graph::DialectOp*> OpTable::dialect_ops() const {
  const auto generated = static_graph::AllDialectOps();
  std::vector<const static_graph::DialectOp*> ops(generated.begin(),
                                                  generated.end());
  for (const PythonOp& op : added_) ops.push_back(op.dialect);
  ops.insert(ops.end(), backward_.begin(), backward_.end());
  return ops;
}

}  // namespace switchyard::python
