// SPDX-License-Identifier: Apache-2.0
// bazel run //tests/parity:update: measures parity and writes docs/parity.md
// into the source tree.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/parity/measure.h"

int main() {
  const char* root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (root == nullptr) {
    std::fprintf(stderr, "usage: bazel run //tests/parity:update\n");
    return 1;
  }
  const auto rows =
      switchyard::MeasureParity(std::string(root) + "/tests/samples");
  if (!rows.ok()) {
    std::fprintf(stderr, "%s\n", std::string(rows.status().message()).c_str());
    return 1;
  }
  std::ofstream out(std::string(root) + "/docs/parity.md", std::ios::binary);
  out << switchyard::ParityPage(*rows);
  if (!out.flush()) {
    std::fprintf(stderr, "cannot write docs/parity.md\n");
    return 1;
  }
  std::printf("%s", switchyard::ParityFigures(*rows).c_str());
  return 0;
}
