// SPDX-License-Identifier: Apache-2.0
// The builtin dialect: the operations that the IR itself needs.
//   builtin.program   the whole program: one region (program.h)
//   builtin.return    ends the entry block: fetched values, then new states,
//                     named by the attributes fetch_names and state_names
//   builtin.constant  one result, the tensor of its attribute `value`
#ifndef SWITCHYARD_STATIC_GRAPH_IR_BUILTIN_H_
#define SWITCHYARD_STATIC_GRAPH_IR_BUILTIN_H_

#include "static_graph/ir/context.h"

namespace switchyard::static_graph::ir {

inline constexpr char kProgramOp[] = "builtin.program";
inline constexpr char kReturnOp[] = "builtin.return";
inline constexpr char kConstantOp[] = "builtin.constant";

inline constexpr char kSymbolName[] = "symbol_name";  // Of builtin.program.
inline constexpr char kFetchNames[] = "fetch_names";  // Of builtin.return.
inline constexpr char kStateNames[] = "state_names";  // Of builtin.return.
inline constexpr char kValue[] = "value";             // Of builtin.constant.

// Registers the dialect unless it is registered. Program's constructor and the
// parser call it.
void RegisterBuiltinDialect(Context* context);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_BUILTIN_H_
