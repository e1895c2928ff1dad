// SPDX-License-Identifier: Apache-2.0
// bazel run //phi/selection:selection_table_update: writes today's answers into
// phi/selection/testdata/selection_table.txt. Read the difference before you
// commit it.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "phi/selection/testing/selection_table.h"

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::fputs("run me by: bazel run //phi/selection:selection_table_update\n",
               stderr);
    return 1;
  }
  const std::string path =
      std::string(workspace) + "/phi/selection/testdata/selection_table.txt";
  std::ifstream in(path);
  const std::string before((std::istreambuf_iterator<char>(in)),
                           std::istreambuf_iterator<char>());
  const std::string after = switchyard::phi::selection::WithAnswers(before);
  std::ofstream(path) << after;
  std::puts(after == before ? "unchanged" : "updated");
  return 0;
}
