// SPDX-License-Identifier: Apache-2.0
// LibraryOperators: the operators that models may have. Each library defines
// it: every_operator.cc for that with all operators, library.bzl for others.
#ifndef SWITCHYARD_LIBRARY_LIBRARY_OPERATORS_H_
#define SWITCHYARD_LIBRARY_LIBRARY_OPERATORS_H_

#include "absl/types/span.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::library {

// Returns those whose kernels are linked.
absl::Span<const static_graph::DialectOp* const> LibraryOperators();

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_LIBRARY_OPERATORS_H_
