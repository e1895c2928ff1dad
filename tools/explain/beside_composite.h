// SPDX-License-Identifier: Apache-2.0
// Operators that have kernels and a composite, as an explanation shows them.
#ifndef SWITCHYARD_TOOLS_EXPLAIN_BESIDE_COMPOSITE_H_
#define SWITCHYARD_TOOLS_EXPLAIN_BESIDE_COMPOSITE_H_

#include <vector>

#include "phi/core/kernel_table.h"
#include "phi/selection/explain.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::phi::selection {

// Returns the kernels of an operator that has a composite, too; null if it has
// not both.
const OpKernels* BesideComposite(const static_graph::DialectOp* record,
                                 const OpKernels* op_kernels);

// Returns the candidates that come before the composite: no fallback does.
std::vector<Explanation::Candidate> BeforeComposite(
    std::vector<Explanation::Candidate> candidates);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_TOOLS_EXPLAIN_BESIDE_COMPOSITE_H_
