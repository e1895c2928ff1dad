// SPDX-License-Identifier: Apache-2.0
// Clone: copies of operations, in the same context.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_CLONE_H_
#define SWITCHYARD_STATIC_GRAPH_IR_CLONE_H_

#include "framework/base/hash_map.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph::ir {

// Maps an old value to the one that stands for it in the copy.
using ValueMap = PooledMap<Value, Value>;

// Returns a detached copy of `op` and of all inside it. Operands that `map` has
// are mapped, others stay (they are values from outside the copied part). Adds
// the copy's results and inner values to `map`.
OperationPtr Clone(const Operation& op, ValueMap& map);

// Appends copies of all arguments and operations of `from` to `to`.
void CloneInto(const Block& from, Block& to, ValueMap& map);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_CLONE_H_
