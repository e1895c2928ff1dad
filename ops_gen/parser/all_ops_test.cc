// SPDX-License-Identifier: Apache-2.0
// Facts about the real family files: every signature prints back to what was
// written, and what the build reads for itself (@sy_ops) is what the parser
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
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ops_gen/emit/kernel_args.h"
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

std::multiset<std::string> Lines(const std::string& path) {
  std::multiset<std::string> lines;
  for (const absl::string_view line :
       absl::StrSplit(Read(path), '\n', absl::SkipEmpty())) {
    lines.emplace(line);
  }
  return lines;
}

// Returns the line that `entry_lines` of ops_gen/rules.bzl writes.
std::string EntryLine(const Family& family, const Op& op) {
  const bool inplace = std::any_of(
      op.output_facts.begin(), op.output_facts.end(),
      [](const OutputFacts& facts) { return facts.inplace_of >= 0; });
  std::vector<std::string> parts = {
      op.name,
      family.name,
      op.gradient.has_value() ? op.gradient->forward : "",
      op.backward,
      op.functor,
      op.infer_meta.has_value() ? op.infer_meta->header.path() : "",
      op.kernel.has_value() ? op.kernel->header.path() : "",
      op.kernel.has_value() && op.kernel->kinds_header.has_value()
          ? op.kernel->kinds_header->path()
          : "",
      op.invoke.has_value() ? op.invoke->op : "",
  };
  const CompositeBody body = op.composite.value_or(CompositeBody());
  parts.push_back(body.header);
  parts.push_back(absl::StrJoin(body.uses, ","));
  parts.push_back(absl::StrJoin(op.traits, ","));
  parts.push_back(inplace ? "inplace" : "");
  std::vector<std::string> vocabularies;
  for (const auto& [vocabulary, forms] : op.forms_by_vocabulary) {
    if (!forms.empty()) vocabularies.push_back(vocabulary);
  }
  parts.push_back(absl::StrJoin(vocabularies, ","));
  parts.push_back(TakesKernelArgs(op) ? "args" : "");
  return absl::StrJoin(parts, "|");
}

TEST(AllOps, SignaturesPrintBackToTheirText) {
  size_t signatures = 0;
  for (const std::string& file : FamilyFiles()) {
    const auto family = ParseFamily(file, Read(file));
    ASSERT_TRUE(family.ok()) << family.status();
    std::set<std::string> lines;
    // A folded text continues on lines that are indented further.
    const std::string text = absl::StrReplaceAll(Read(file), {{"\n    ", " "}});
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
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
  EXPECT_EQ(Lines("ops_gen/parser/kernels.txt"), parsed);
}

// "name|family|forward|backward|...": what targets are made of.
TEST(AllOps, TheBuildReadsTheSameEntries) {
  std::multiset<std::string> parsed;
  for (const Family& family : AllFamilies()) {
    for (const Op& op : family.ops) parsed.insert(EntryLine(family, op));
  }
  EXPECT_EQ(Lines("ops_gen/parser/entries.txt"), parsed);
}

}  // namespace
}  // namespace switchyard::ops_gen
