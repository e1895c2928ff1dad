// SPDX-License-Identifier: Apache-2.0
// RunSaved: the main function of a product that runs one saved program.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_RUN_SAVED_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_RUN_SAVED_H_

#include "absl/types/span.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::static_graph {

// Runs the program of a file on tensors of files, with the kernels that the
// binary links. `ops` are the operators that programs may have.
//
//   <binary> [--strict] PROGRAM         prints inputs and outputs
//   <binary> [--strict] PROGRAM FOLDER NAME=EXTENTS:FILE...
//
// Where the file says which kernels were chosen for the program, and those of
// this binary differ, the difference is printed as a warning; with --strict it
// is an error.
//
// EXTENTS are as 1x3x48x192, FILE has the elements one after another, in the
// machine's byte order. Results are printed by name, dtype and extents, and
// written likewise to FOLDER/NAME.bin, in NAME "_" for all but letters, digits,
// ".", "@" and "-". Returns the exit status: 0, 1 after an error, which is
// printed, 2 for a wrong command line.
int RunSaved(absl::Span<const DialectOp* const> ops, int argc, char** argv);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_RUN_SAVED_H_
