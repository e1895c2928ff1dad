// SPDX-License-Identifier: Apache-2.0
// The output of the generator for each specimen, against the files that are
// checked in.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "ops_gen/golden/render.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kUpdate[] =
    "\nIf the new output is right: bazel run //ops_gen/golden:update";

TEST(Golden, OutputIsWhatIsCheckedIn) {
  const auto golden = RenderSpecimens(".");
  ASSERT_TRUE(golden.ok()) << golden.status();
  EXPECT_GE(golden->size(), 50u);
  auto kept = KeptNames(".");
  ASSERT_TRUE(kept.ok()) << kept.status();
  for (const GeneratedFile& file : *golden) {
    if (kept->erase(file.name) == 0) continue;
    const auto text = ReadTextFile(kGoldenFolder + file.name);
    ASSERT_TRUE(text.ok()) << text.status() << kUpdate;
    EXPECT_EQ(file.text, *text) << file.name << kUpdate;
  }
  for (const std::string& name : *kept) {
    ADD_FAILURE() << "kept.txt names " << name << ", which nothing makes";
  }
}

TEST(Golden, NoFileIsLeftOver) {
  const auto kept = KeptNames(".");
  ASSERT_TRUE(kept.ok()) << kept.status();
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(kGoldenFolder)) {
    if (entry.path().extension() != ".golden") continue;
    const std::string name = entry.path().string();
    EXPECT_EQ(kept->count(name.substr(sizeof(kGoldenFolder) - 1)), 1u)
        << entry.path() << kUpdate;
  }
}

TEST(Golden, GeneratedLinesFitInTheColumnLimit) {
  const auto golden = RenderSpecimens(".");
  ASSERT_TRUE(golden.ok()) << golden.status();
  for (const GeneratedFile& file : *golden) {
    if (file.name.find("python") != std::string::npos ||
        file.name.find("op_pages") != std::string::npos) {
      continue;  // Documents.
    }
    size_t begin = 0;
    while (begin < file.text.size()) {
      const size_t end =
          std::min(file.text.find('\n', begin), file.text.size());
      const std::string line = file.text.substr(begin, end - begin);
      const bool breakable = line.find("#include") == std::string::npos &&
                             line.find("SWITCHYARD_") == std::string::npos;
      if (breakable) {
        EXPECT_LE(line.size(), 80u) << file.name << ": " << line;
      }
      begin = end + 1;
    }
  }
}

}  // namespace
}  // namespace switchyard::ops_gen
