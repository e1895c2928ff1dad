// SPDX-License-Identifier: Apache-2.0
// Operators that have kernels and a composite, as an explanation shows them.
#ifndef SWITCHYARD_TOOLS_EXPLAIN_BESIDE_COMPOSITE_H_
#define SWITCHYARD_TOOLS_EXPLAIN_BESIDE_COMPOSITE_H_

#include "phi/core/kernel_table.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::phi::selection {

// Returns the row of an operator that ends with a composite; null if it has
// none, or nothing else.
const OpKernels* BesideComposite(const static_graph::DialectOp* record,
                                 const OpKernels* op_kernels);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_TOOLS_EXPLAIN_BESIDE_COMPOSITE_H_
