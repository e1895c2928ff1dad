// SPDX-License-Identifier: Apache-2.0
// RunPasses: reads a program's text, runs passes by name, prints it: what
// sy_opt does, and the text tests of passes (pass_cases.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TOOLS_PASS_RUNNER_H_
#define SWITCHYARD_STATIC_GRAPH_TOOLS_PASS_RUNNER_H_

#include <memory>
#include <string>
#include <string_view>

#include "static_graph/ir/context.h"
#include "static_graph/pass/pass_manager.h"

namespace switchyard::static_graph {

// With every operator of the project registered.
std::unique_ptr<ir::Context> AllOperatorsContext();

// The program after the passes, as text.
struct PassRun {
  std::string text;
  bool changed = false;  // As the passes say.
};

// `passes`: names of PassesAndConversions() (conversions.h), separated by
// commas; none only verifies. Errors are the parser's, the verifier's (with the
// pass that broke the program) and the passes' own.
absl::StatusOr<PassRun> RunPasses(ir::Context* context, std::string_view text,
                                  std::string_view passes,
                                  const PassManagerOptions& options = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TOOLS_PASS_RUNNER_H_
