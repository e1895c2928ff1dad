// SPDX-License-Identifier: Apache-2.0
// The policy of one operation of a program, and the kernel that selection gives
// it alone, on its inputs as they are declared.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_OPERATION_SELECTION_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_OPERATION_SELECTION_H_

#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/operation_policy.h"
#include "phi/selection/selection.h"
#include "static_graph/ir/operation.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {

// Returns what the attribute `policy` of an operation says; the default without
// one. ArgumentError, which begins with the operator's name, for words that it
// can't have and for names that are none of `table`.
absl::StatusOr<phi::selection::OperationPolicy> ReadPolicy(
    const ir::Operation& op, const phi::KernelTable& table);

// Returns the policy under which the kernel of an operation is selected in a
// program that has `policy`. Errors as ReadPolicy().
absl::StatusOr<phi::selection::Policy> PolicyOf(
    const ir::Operation& op, const phi::KernelTable& table,
    const phi::selection::Policy& policy);

// Selects for an operation of the dialect `op` as if its inputs were strided
// and lay where the program runs. Errors as Lower().
absl::StatusOr<phi::selection::Selection> SelectAlone(
    const ir::Operation& op, const phi::KernelTable& table,
    const LoweringOptions& options, const phi::selection::Policy& policy);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_OPERATION_SELECTION_H_
