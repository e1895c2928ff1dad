// SPDX-License-Identifier: Apache-2.0
// Dead code elimination.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_DEAD_CODE_ELIMINATION_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_DEAD_CODE_ELIMINATION_H_

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Removes pure operations whose results nobody uses, and the values that only
// they used. Keeps operations with a side effect, also inside unused control
// flow, and all feeds and states: they are the program's interface.
class DeadCodeElimination : public Pass {
 public:
  std::string_view name() const override { return "dead_code_elimination"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_DEAD_CODE_ELIMINATION_H_
