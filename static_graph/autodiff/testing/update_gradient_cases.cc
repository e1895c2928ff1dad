// SPDX-License-Identifier: Apache-2.0
// Updates the answers in static_graph/autodiff/testdata/gradients.txt:
//   bazel run //static_graph/autodiff:gradients_update
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "static_graph/autodiff/testing/gradient_cases.h"

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::cerr << "run it by `bazel run`\n";
    return 2;
  }
  const std::string path =
      std::string(workspace) + "/static_graph/autodiff/testdata/gradients.txt";
  std::ifstream in(path);
  const std::string file((std::istreambuf_iterator<char>(in)),
                         std::istreambuf_iterator<char>());
  in.close();
  std::ofstream(path) << switchyard::static_graph::testing::WithGradients(file);
  return 0;
}
