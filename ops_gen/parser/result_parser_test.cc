// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/result_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

// An entry with `lines` between its body and its last line.
absl::StatusOr<Family> Parse(const std::string& infer_meta,
                             const std::string& lines) {
  return ParseFamily(
      "f.yaml",
      absl::StrCat("- op: halves\n"
                   "  args: (Tensor x, int axis = 0)\n"
                   "  output: Tensor(out), Tensor(rest), Tensor(saved)\n"
                   "  infer_meta: {func: ",
                   infer_meta, "}\n",
                   "  kernel: {func: halves}\n"
                   "  kernels:\n"
                   "    cpu: [float32]\n"
                   "  intermediate: [saved]\n",
                   lines, "  doc: Halves.\n"));
}

std::string ErrorOf(const std::string& lines) {
  return std::string(Parse("HalvesInferMeta", lines).status().message());
}

TEST(ResultParser, TakesASentenceForEachOutput) {
  const auto family =
      Parse("HalvesInferMeta",
            "  result: {out: of the shape of `x`, rest: of shape `axis`}\n");
  ASSERT_TRUE(family.ok()) << family.status();
  EXPECT_EQ(family->ops[0].output_facts[0].result, "of the shape of `x`");
  EXPECT_EQ(family->ops[0].output_facts[1].result, "of shape `axis`");
  EXPECT_EQ(family->ops[0].output_facts[2].result, "");
}

TEST(ResultParser, TakesTheSentenceOfASharedRule) {
  const auto family = Parse("SoftmaxInferMeta", "");
  ASSERT_TRUE(family.ok()) << family.status();
  EXPECT_EQ(family->ops[0].output_facts[0].result,
            "of the shape and dtype of `x`");
}

TEST(ResultParser, RefusesAnOutputThatNothingDescribes) {
  EXPECT_EQ(ErrorOf(""),
            "f.yaml:1: halves: expected the key 'result' with the shape of "
            "'out', or a rule of ops_gen/schema/result_rules.def, got none");
  EXPECT_EQ(ErrorOf("  result: {out: of the shape of `x`}\n"),
            "f.yaml:1: halves: expected the key 'result' with the shape of "
            "'rest', or a rule of ops_gen/schema/result_rules.def, got none");
}

TEST(ResultParser, RefusesASentenceThatDoesNotFit) {
  EXPECT_EQ(ErrorOf("  result: of the shape of `x`\n"),
            "f.yaml:9: halves: result: expected a text for each output, by its "
            "name, got one text");
  EXPECT_EQ(ErrorOf("  result: {out: of the shape of `y`}\n"),
            "f.yaml:9: halves: result.out: expected names of args and outputs "
            "between backticks, got 'y'");
  EXPECT_EQ(ErrorOf("  result: {out: as `x}\n"),
            "f.yaml:9: halves: result.out: expected names of args and outputs "
            "between backticks, got 'x'");
  EXPECT_EQ(ErrorOf("  result: {out: A scalar.}\n"),
            "f.yaml:9: halves: result.out: expected words after 'The result "
            "is', without a full stop, got 'A scalar.'");
  EXPECT_EQ(ErrorOf("  result: {other: a scalar}\n"),
            "f.yaml:9: halves: result: expected one of the keys out, rest, "
            "saved, got 'other'");
  EXPECT_EQ(
      Parse("UnchangedInferMeta", "  result: a scalar\n").status().message(),
      "f.yaml:9: halves: result: expected no 'result' beside "
      "UnchangedInferMeta, whose sentence is in "
      "ops_gen/schema/result_rules.def, got one");
}

TEST(ResultParser, AnOutputInTheMemoryOfAnInputIsAsThat) {
  const auto family = ParseFamily("f.yaml",
                                  "- op: step_\n"
                                  "  args: (Tensor param)\n"
                                  "  output: Tensor(param_out)\n"
                                  "  infer_meta: {func: StepInferMeta}\n"
                                  "  kernel: {func: step}\n"
                                  "  kernels:\n"
                                  "    cpu: [float32]\n"
                                  "  inplace: (param -> param_out)\n"
                                  "  traits: [inplace_only]\n");
  ASSERT_TRUE(family.ok()) << family.status();
  EXPECT_EQ(family->ops[0].output_facts[0].result,
            "of the shape and dtype of `param`");
}

}  // namespace
}  // namespace switchyard::ops_gen
