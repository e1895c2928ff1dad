// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/dead_code_elimination.h"

#include <algorithm>
#include <vector>

namespace switchyard::static_graph {

absl::StatusOr<bool> DeadCodeElimination::Run(ir::Program& program) {
  std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  // Users stand after what they use, and inner operations after the one around
  // them: backwards, each operation is met when its last user is gone.
  std::reverse(all.begin(), all.end());
  bool changed = false;
  for (ir::Operation* op : all) {
    if (!op->unused() || !ir::IsPure(*op)) continue;
    op->Erase();
    changed = true;
  }
  return changed;
}

}  // namespace switchyard::static_graph
