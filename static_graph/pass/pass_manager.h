// SPDX-License-Identifier: Apache-2.0
// PassManager: runs passes one after another.
#ifndef SWITCHYARD_STATIC_GRAPH_PASS_PASS_MANAGER_H_
#define SWITCHYARD_STATIC_GRAPH_PASS_PASS_MANAGER_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// The options of a PassManager.
struct PassManagerOptions {
  // The results that passes must keep: with kExact relaxed ones are refused.
  Exactness exactness = Exactness::kRelaxed;
  // Called after each pass, with its name and whether it changed the program:
  // to print it, for one.
  std::function<void(std::string_view pass, const ir::Program& program,
                     bool changed)>
      after_pass;
};

// Runs passes one after another, and the verifier after each that changes the
// program. Owns its passes.
// Used by one thread.
class PassManager {
 public:
  explicit PassManager(PassManagerOptions options = {});

  // Returns an InvalidArgumentError if the pass is relaxed and only exact ones
  // are wanted.
  absl::Status Add(std::unique_ptr<Pass> pass);

  // Runs the passes in the order in which they were added; returns whether one
  // changed the program. The program is verified before the first and after
  // each that changed it: InternalError naming the pass that broke it. A pass's
  // own error leaves with the pass's name before it.
  absl::StatusOr<bool> Run(ir::Program& program);

 private:
  PassManagerOptions options_;
  std::vector<std::unique_ptr<Pass>> passes_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASS_PASS_MANAGER_H_
