// SPDX-License-Identifier: Apache-2.0
// Entries that the operators of today have no like of: words and orders of
// arguments that mean something else in Python. The rest is golden text.
#include "ops_gen/emit/python.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kEntry[] =
    R"(- op: twist
  args: ARGS
  output: Tensor(out)
  infer_meta: {func: TwistInferMeta}
  kernel: {func: twist, data_type: x}
  kernels:
    cpu: [float32]
  optional: [y]
  result: of the shape of `x`
  doc: 'DOC'
)";

// Both generated files, docs before stubs, of an entry with these.
std::string Python(const char* args, const char* doc) {
  const auto family = ParseFamily(
      "f.yaml", absl::StrReplaceAll(kEntry, {{"ARGS", args}, {"DOC", doc}}));
  EXPECT_TRUE(family.ok()) << family.status();
  if (!family.ok()) return "";
  std::string text;
  for (const GeneratedFile& file : EmitPython(*family)) text += file.text;
  return text;
}

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_TRUE(absl::StrContains(text, part)) << part << "\nin\n" << text;
}

TEST(Python, WhatMustBeGivenBehindWhatNeedNotIsKeywordOnly) {
  const std::string text =
      Python("(Tensor x, Tensor y, int axis, float a = 0.5)", "Twists.");
  ExpectContains(text,
                 "def twist(x: T, y: T | None = None, *, axis: int, a: float = "
                 "0.5) -> T:");
  ExpectContains(text, "\"twist(x, y=None, *, axis, a=0.5)\\n\"");
  ExpectContains(text, "    axis: int\\n\"");
}

TEST(Python, DocumentationMayHaveQuotesAndBackslashes) {
  const char* const args = "(Tensor x, Tensor y)";
  ExpectContains(Python(args, R"(Says "a" or \b.)"),
                 R"("""Says "a" or \\b.""")");
  ExpectContains(Python(args, R"(Ends """ here "so")"),
                 R"("""Ends "\"\" here "so\"""")");
  ExpectContains(Python(args, R"(Ends """ here "so")"),
                 R"(Ends \"\"\" here \"so\")");
}

}  // namespace
}  // namespace switchyard::ops_gen
