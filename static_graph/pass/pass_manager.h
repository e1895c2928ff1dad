// SPDX-License-Identifier: Apache-2.0
// PassManager: runs passes one after another.
#ifndef SWITCHYARD_STATIC_GRAPH_PASS_PASS_MANAGER_H_
#define SWITCHYARD_STATIC_GRAPH_PASS_PASS_MANAGER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Says what one run of a pass did to a program. Operations of inner blocks
// count.
struct PassStatistics {
  std::string pass;
  bool changed = false;
  int64_t operations_before = 0;
  int64_t operations_after = 0;
  std::chrono::nanoseconds time{};  // Without what verifies the program.
};
// Returns a table: a line for each pass, in their order.
std::string StatisticsTable(absl::Span<const PassStatistics> statistics);

// The options of a PassManager.
struct PassManagerOptions {
  // The results that passes must keep: with kExact relaxed ones are refused.
  Exactness exactness = Exactness::kRelaxed;
  // The program is verified before the first pass. Off for one that lowering
  // has just made: it is verified after the last pass in any case then.
  bool verify_before = true;
  // It is verified after each pass that changed it, or once after the last one.
  bool verify_each = true;
  // Called after each pass, with its name and whether it changed the program:
  // to print it, for one.
  std::function<void(std::string_view pass, const ir::Program& program,
                     bool changed)>
      after_pass;
  // Receives an entry for each pass that succeeds; null: nothing is counted.
  std::vector<PassStatistics>* statistics = nullptr;
};

// Runs passes one after another, and the verifier. Owns its passes.
// Used by one thread.
class PassManager {
 public:
  explicit PassManager(PassManagerOptions options = {});

  // Returns an InvalidArgumentError if the pass is relaxed and only exact ones
  // are wanted.
  absl::Status Add(std::unique_ptr<Pass> pass);

  // Runs the passes in the order in which they were added; returns whether one
  // changed the program. Verifies it as the options say: InternalError naming
  // the pass that broke it, or saying that one of them did. A pass's own error
  // leaves with the pass's name before it.
  absl::StatusOr<bool> Run(ir::Program& program);

 private:
  absl::StatusOr<bool> RunPass(Pass& pass, ir::Program& program);

  PassManagerOptions options_;
  std::vector<std::unique_ptr<Pass>> passes_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASS_PASS_MANAGER_H_
