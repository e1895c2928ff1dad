// SPDX-License-Identifier: Apache-2.0
// Verifier: the rules that every program obeys, whatever its dialects; then
// each operation's own (OpDefinition::verify). Builders and the parser don't
// check them; the pass manager does after every pass.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_VERIFIER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_VERIFIER_H_

#include "static_graph/ir/program.h"

namespace switchyard::static_graph::ir {

// Returns InvalidArgumentError for the first violation, with the operation and
// its neighbours as text: every value has a type and is defined before its
// uses, in the same block or around it; use lists are whole; each block ends
// with its only terminator; entry arguments and returned values have unique
// names; new states have the type of their state; segments sum up; regions are
// at most kMaxRegionDepth deep.
absl::Status Verify(const Program& program);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_VERIFIER_H_
