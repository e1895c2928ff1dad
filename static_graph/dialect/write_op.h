// SPDX-License-Identifier: Apache-2.0
// The operation memory.write(%x, %v): copies the elements of %v into the memory
// of %x, so that views of %x see them too. It is an in-place variant of no
// operator: x[...] = v while a program is traced. The pass to_value_form
// replaces it.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_WRITE_OP_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_WRITE_OP_H_

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

inline constexpr char kWriteOp[] = "memory.write";

// Registers the operation unless it is registered.
absl::Status RegisterWriteOp(ir::Context* context);

// Creates a write of `target` at the insertion point; both are of one type.
absl::Status BuildWrite(ir::Builder& builder, ir::Value target,
                        ir::Value value);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_WRITE_OP_H_
