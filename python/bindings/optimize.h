// SPDX-License-Identifier: Apache-2.0
// OptimizeProgram: the passes that a traced program goes through before it is
// lowered. Their list is here, so that every road into a Program (traced,
// loaded) takes the same.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OPTIMIZE_H_
#define SWITCHYARD_PYTHON_BINDINGS_OPTIMIZE_H_

#include "framework/base/status.h"
#include "static_graph/ir/program.h"

namespace switchyard::python {

enum class Optimization {
  kNone,     // Verifies only.
  kExact,    // Removes what is dead, common or an identity and computes what is
             // constant, by the linked kernels.
  kRelaxed,  // Fuses scales too, which rounds once where two of them round
             // twice.
};

absl::Status OptimizeProgram(static_graph::ir::Program& program,
                             Optimization optimization);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OPTIMIZE_H_
