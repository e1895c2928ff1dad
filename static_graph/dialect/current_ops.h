// SPDX-License-Identifier: Apache-2.0
// CurrentDialectOps: the operators that programs may hold now, for
// RegisterDialects (static_graph/dialect/register_dialects.h).
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_CURRENT_OPS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_CURRENT_OPS_H_

#include <vector>

#include "static_graph/dialect/dialect_op.h"

namespace switchyard::static_graph {

// Returns every generated operator, by name, then the operators that plugins
// have added (phi/core/op_table.h), backward ones too. One that is written as
// others, and to which kernels were added, has an InferMeta here
// (composed_meta.h), so that programs hold its calls.
std::vector<const DialectOp*> CurrentDialectOps();

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_CURRENT_OPS_H_
