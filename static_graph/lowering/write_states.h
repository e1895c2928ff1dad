// SPDX-License-Identifier: Apache-2.0
// WriteStatesInPlace: a call that replaces elements of a state writes them in
// the state's own memory, where nothing uses the old value any more:
//
//   %1 = op.put_along_axis(%cache, %places, %keys)   // One place is written,
//   %2 = op.matmul(%q, %1)                           // all are read there;
//   builtin.return(...) state("cache" = %1)          // nothing is left to do.
//
// The run keeps what it replaces (static_graph/executor/frame/kept_elements.h),
// so that one that fails later leaves the state as it was.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_WRITE_STATES_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_WRITE_STATES_H_

#include "phi/core/kernel_table.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Sets the attribute `inplace` of such calls of our own kernels
// on the CPU in the entry block of a program that is lowered otherwise.
void WriteStatesInPlace(const phi::KernelTable& table, ir::Program* program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_WRITE_STATES_H_
