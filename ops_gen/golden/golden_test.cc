// SPDX-License-Identifier: Apache-2.0
// The output of the generator for each specimen, against the files that are
// checked in.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "ops_gen/golden/render.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kUpdate[] =
    "\nIf the new output is right: bazel run //ops_gen/golden:update";

absl::StatusOr<std::vector<GeneratedFile>> Golden() {
  SY_ASSIGN_OR_RETURN(const std::vector<RenderedLayer> layers,
                      RenderSpecimens("."));
  return GoldenFiles(".", layers);
}

TEST(Golden, OutputIsWhatIsCheckedIn) {
  const auto golden = Golden();
  ASSERT_TRUE(golden.ok()) << golden.status();
  EXPECT_GE(golden->size(), 20u);
  for (const GeneratedFile& file : *golden) {
    const auto text = ReadTextFile(kGoldenFolder + file.name);
    ASSERT_TRUE(text.ok()) << text.status() << kUpdate;
    EXPECT_EQ(file.text, *text) << file.name << kUpdate;
  }
}

TEST(Golden, NoFileIsLeftOver) {
  const auto golden = Golden();
  ASSERT_TRUE(golden.ok()) << golden.status();
  std::set<std::string> kept;
  for (const GeneratedFile& file : *golden) kept.insert(file.name);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(kGoldenFolder)) {
    if (entry.path().extension() != ".golden") continue;
    const std::string name = entry.path().string();
    EXPECT_EQ(kept.count(name.substr(sizeof(kGoldenFolder) - 1)), 1u)
        << entry.path() << kUpdate;
  }
}

// Documents may be wider.
bool IsDocument(const std::string& layer) {
  return layer.find("python") != std::string::npos ||
         layer.find("op_pages") != std::string::npos;
}

void ExpectNarrow(const std::string& text, const std::string& name) {
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const bool breakable = line.find("#include") == std::string::npos &&
                           line.find("SWITCHYARD_") == std::string::npos;
    if (breakable) {
      EXPECT_LE(line.size(), 80u) << name << ": " << line;
    }
    begin = end + 1;
  }
}

TEST(Golden, GeneratedLinesFitInTheColumnLimit) {
  const auto layers = RenderSpecimens(".");
  ASSERT_TRUE(layers.ok()) << layers.status();
  EXPECT_GE(layers->size(), 50u);
  for (const RenderedLayer& layer : *layers) {
    if (IsDocument(layer.name)) continue;
    for (const GeneratedFile& file : layer.files) {
      ExpectNarrow(file.text, file.name);
    }
  }
}

}  // namespace
}  // namespace switchyard::ops_gen
