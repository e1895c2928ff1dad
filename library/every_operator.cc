// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/every_operator.h"

#include "library/library_operators.h"

namespace switchyard::library {

absl::Span<const static_graph::DialectOp* const> LibraryOperators() {
  return static_graph::AllDialectOps();
}

}  // namespace switchyard::library
