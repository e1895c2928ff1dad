// SPDX-License-Identifier: Apache-2.0
// FoldWithKernels: the function with which constant folding
// (static_graph/passes/constant_folding.h) runs operators. It uses the
// kernels that would run them in a program, so that folding keeps every bit.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_FOLD_OPERATION_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_FOLD_OPERATION_H_

#include "phi/core/kernel_table.h"
#include "static_graph/lowering/lower.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Returns the function. `context` is that of the programs that are folded; it
// and `table` outlive the function, whose errors are those of
// Executable::Compile and Executable::Run.
FoldFunction FoldWithKernels(ir::Context* context,
                             const phi::KernelTable& table,
                             const LoweringOptions& options = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_FOLD_OPERATION_H_
