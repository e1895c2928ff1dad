// SPDX-License-Identifier: Apache-2.0
// Updates the answers of the passes' text tests and docs/passes.md:
//   bazel run //static_graph/tools:update_pass_cases
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "static_graph/tools/testing/pass_cases.h"

int main() {
  namespace static_graph = switchyard::static_graph;
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::cerr << "run it by `bazel run`\n";
    return 2;
  }
  const std::string root = std::string(workspace) + "/";
  for (const std::string& file : static_graph::PassCaseFiles()) {
    const std::string text = static_graph::ReadText(root + file);
    std::ofstream(root + file) << static_graph::WithPassAnswers(file, text);
  }
  std::ofstream(root + static_graph::kPassPage) << static_graph::PassPage();
  return 0;
}
