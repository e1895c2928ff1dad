// SPDX-License-Identifier: Apache-2.0
// Facts about the real family files: every signature prints back to what was
// written, and what the build reads line by line (@sy_ops) is what the parser
// reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ops_gen/parser/family_parser.h"
#include "ops_gen/parser/signature_parser.h"

namespace switchyard::ops_gen {
namespace {

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::string> FamilyFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("ops_gen/ops")) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Family> AllFamilies() {
  std::vector<Family> families;
  for (const std::string& file : FamilyFiles()) {
    auto family = ParseFamily(file, Read(file));
    EXPECT_TRUE(family.ok()) << family.status();
    if (family.ok()) families.push_back(*std::move(family));
  }
  return families;
}

TEST(AllOps, SignaturesPrintBackToTheirText) {
  size_t signatures = 0;
  for (const std::string& file : FamilyFiles()) {
    const auto family = ParseFamily(file, Read(file));
    ASSERT_TRUE(family.ok()) << family.status();
    std::set<std::string> lines;
    for (const absl::string_view line : absl::StrSplit(Read(file), '\n')) {
      lines.emplace(line);
    }
    for (const Op& op : family->ops) {
      const std::string args =
          absl::StrCat("  args: ", PrintArguments(op.signature.arguments));
      const std::string output =
          absl::StrCat("  output: ", PrintOutputs(op.signature.outputs));
      EXPECT_EQ(lines.count(args), 1u) << args;
      EXPECT_EQ(lines.count(output), 1u) << output;
      ++signatures;
    }
  }
  EXPECT_GE(signatures, 70u);
}

TEST(AllOps, BodiesCallOperatorsThatExist) {
  const std::vector<Family> families = AllFamilies();
  std::set<std::string> names;
  for (const Family& family : families) {
    for (const Op& op : family.ops) {
      EXPECT_TRUE(names.insert(op.name).second) << op.name << " twice";
    }
  }
  for (const Family& family : families) {
    for (const Op& op : family.ops) {
      if (op.invoke.has_value()) {
        EXPECT_EQ(names.count(op.invoke->op), 1u) << op.name;
      }
      if (!op.composite.has_value()) continue;
      for (const std::string& used : op.composite->uses) {
        EXPECT_EQ(names.count(used), 1u) << op.name << " uses " << used;
      }
    }
  }
}

TEST(AllOps, ForwardOperatorsAreDescribed) {
  for (const Family& family : AllFamilies()) {
    for (const Op& op : family.ops) {
      if (!op.gradient.has_value()) {
        EXPECT_FALSE(op.doc.empty()) << op.name;
      }
    }
  }
}

// "name family kernel backend dtype,dtype": what kernel sets are made of.
TEST(AllOps, TheBuildReadsTheSameKernels) {
  std::multiset<std::string> parsed;
  for (const Family& family : AllFamilies()) {
    for (const Op& op : family.ops) {
      if (!op.kernel.has_value()) continue;
      for (const KernelFunction& function : op.kernel->functions) {
        for (const auto& [backend, dtypes] : function.coverage) {
          parsed.insert(absl::StrCat(op.name, " ", family.name, " ",
                                     function.name, " ", backend, " ",
                                     absl::StrJoin(dtypes, ",")));
        }
      }
    }
  }
  std::multiset<std::string> read;
  for (const absl::string_view line : absl::StrSplit(
           Read("ops_gen/parser/kernels.txt"), '\n', absl::SkipEmpty())) {
    read.emplace(line);
  }
  EXPECT_EQ(read, parsed);
}

}  // namespace
}  // namespace switchyard::ops_gen
