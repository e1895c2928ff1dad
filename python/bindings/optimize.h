// SPDX-License-Identifier: Apache-2.0
// OptimizeProgram: the exact passes that a traced program goes through before
// it is lowered. Their list is here, so that every road into a Program (traced,
// loaded) takes the same.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OPTIMIZE_H_
#define SWITCHYARD_PYTHON_BINDINGS_OPTIMIZE_H_

#include "framework/base/status.h"
#include "static_graph/ir/program.h"

namespace switchyard::python {

// Verifies, and if `optimize` removes what is dead, common or an identity and
// computes what is constant, by the linked kernels.
absl::Status OptimizeProgram(static_graph::ir::Program& program, bool optimize);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OPTIMIZE_H_
