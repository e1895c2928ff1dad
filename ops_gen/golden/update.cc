// SPDX-License-Identifier: Apache-2.0
// bazel run //ops_gen/golden:update: writes the golden files into the source
// tree, and removes those that are kept no more.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/golden/render.h"

namespace switchyard::ops_gen {
namespace {

namespace fs = std::filesystem;

absl::Status Update(const std::string& root) {
  SY_ASSIGN_OR_RETURN(const std::vector<RenderedLayer> layers,
                      RenderSpecimens(root));
  SY_ASSIGN_OR_RETURN(const std::vector<GeneratedFile> golden,
                      GoldenFiles(root, layers));
  const std::string folder = absl::StrCat(root, "/", kGoldenFolder);
  std::vector<fs::path> old;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".golden") old.push_back(entry.path());
  }
  for (const fs::path& path : old) fs::remove(path);
  for (const GeneratedFile& file : golden) {
    const fs::path path = folder + file.name;
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    if (!out.flush()) {
      return absl::UnavailableError(
          absl::StrCat("cannot write ", path.string()));
    }
  }
  std::printf("%zu files\n", golden.size());
  return absl::OkStatus();
}

}  // namespace
}  // namespace switchyard::ops_gen

int main() {
  const char* root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (root == nullptr) {
    std::fprintf(stderr, "usage: bazel run //ops_gen/golden:update\n");
    return 1;
  }
  const absl::Status status = switchyard::ops_gen::Update(root);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
