// SPDX-License-Identifier: Apache-2.0
// A handful of operators with plain float kernels, one a feature of operators,
// so that the static graph's libraries are tested without generated code or
// real kernels: promotion (add, multiply), a gradient kernel (relu), a
// composite gradient (multiply), a view (transpose), an in-place operator
// (sgd_), a list (sum_all), optional arguments (bias), two results (fork), a
// choice that depends on the shape (tiered) or on strides (gapless), an error
// that depends on data (checked), the lack of a kernel (unlinked), a comparison
// (less_than), a call of another operator (twice), an attribute that tensors
// may supply (sized), a result that its kernel allocates (positive), extents as
// a tensor (extents), and the transforms. Agreement with eager is tested on the
// real operators in tests/eager_static.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_TESTING_TOY_OPERATORS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_TESTING_TOY_OPERATORS_H_

#include <memory>

#include "absl/types/span.h"
#include "phi/core/kernel_table.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph::testing {

// Returns an operator by one of the names above; ends the test if there is
// none.
const DialectOp& ToyOp(std::string_view name);
absl::Span<const DialectOp* const> ToyOps();

// All their kernels.
const phi::KernelTable& ToyKernels();

// A context with the toy operators registered.
std::unique_ptr<ir::Context> ToyContext();

}  // namespace switchyard::static_graph::testing

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_TESTING_TOY_OPERATORS_H_
