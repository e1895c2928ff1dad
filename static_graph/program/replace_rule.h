// SPDX-License-Identifier: Apache-2.0
// PolicyRule: a ReplaceRule (static_graph/pass/pass_info.h) that lets a fusion
// replace operations where the selection policy admits that; and the KernelRule
// of the same policy.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_REPLACE_RULE_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_REPLACE_RULE_H_

#include "phi/core/kernel_table.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/lower.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Returns the rule of a program of the dialect `op`, which `lowering` will
// compile with the kernels of `table`; null where every fusion may go ahead,
// since neither the policy nor an operation of the program restricts anything.
//
// An operation takes the place of others where, under the policies of all of
// them (a list that keeps one off a backend keeps all off it),
// - there are kernels for what was built,
// - no part has a kernel that the policy prefers to the operation's,
// - the policies of some parts keep the operation off no backend that another
//   part uses.
// Borrows `table` and the program's context.
ReplaceRule MakeReplaceRule(const ir::Program& program,
                            const phi::KernelTable& table,
                            const LoweringOptions& lowering);

// Returns the rule by which an operation of the dialect `op` has a kernel where
// `lowering` would find one of `table` for it, or candidates that depend on
// extents. Borrows `table`.
KernelRule MakeKernelRule(const phi::KernelTable& table,
                          const LoweringOptions& lowering);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_REPLACE_RULE_H_
