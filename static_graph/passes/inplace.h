// SPDX-License-Identifier: Apache-2.0
// In-place writes, on the kernel dialect.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_INPLACE_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_INPLACE_H_

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Lets a kernel write its result into the memory of an operand that dies there,
// where the operator allows it, and says so in the attribute `inplace`
// (static_graph/dialect/kernel_attributes.h). An operand qualifies if
//   - its memory was made by another kernel call of the same block: feeds,
//     states, constants, arguments of inner blocks and results of control flow
//     are never overwritten, and so nothing from outside of a loop;
//   - nothing uses that memory after the call: neither the operand, nor a view
//     of it, nor a result that was put there before;
//   - the call itself has no other operand in that memory;
//   - it is no view, and its type is the result's, with all extents known.
// Calls that have the attribute already (updates of states) stay as they are.
class Inplace : public Pass {
 public:
  std::string_view name() const override { return "inplace"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_INPLACE_H_
