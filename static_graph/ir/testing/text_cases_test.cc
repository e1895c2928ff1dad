// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/testing/text_cases.h"

#include <gtest/gtest.h>

namespace switchyard::static_graph::ir {
namespace {

constexpr char kCases[] =
    "=== a: first\n  ^entry():\n--- unchanged\n"
    "=== b: second\n  ^entry():\n--- after 1 line\n    rest\n";

TEST(TextCases, AnswersBeginOnTheLineThatSeparates) {
  const auto cases = ParseCases(kCases);
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 2u);
  EXPECT_EQ((*cases)[0].input, "  ^entry():\n");
  EXPECT_EQ((*cases)[0].answer, "unchanged\n");
  EXPECT_EQ((*cases)[1].answer, "after 1 line\n    rest\n");
  EXPECT_EQ(Answered(kCases, [](const TextCase& one) { return one.answer; }),
            kCases);
  EXPECT_FALSE(ParseCases("=== a: no answer\n").ok());
}

TEST(TextCases, ProgramsStandInsideOfOneUnlessTheyAreWhole) {
  EXPECT_EQ(WholeProgram("  ^entry():\n"), "program @p {\n  ^entry():\n}\n");
  EXPECT_EQ(WholeProgram("program @q {\n}\n"), "program @q {\n}\n");
}

TEST(TextCases, ChangedEndCountsTheLinesOfTheBlockThatStay) {
  constexpr char kBefore[] =
      "program @p {\n  ^entry(\n      %x: a,\n      %y: b):\n    1\n    2\n}\n";
  // An operation more, one less, another first one, other arguments.
  EXPECT_EQ(ChangedEnd(kBefore,
                       "program @p {\n  ^entry(\n      %x: a,\n      %y: b):\n"
                       "    1\n    new\n    2\n}\n"),
            "after 1 line\n    new\n    2\n");
  EXPECT_EQ(ChangedEnd(kBefore,
                       "program @p {\n  ^entry(\n      %x: a,\n      %y: b):\n"
                       "    1\n}\n"),
            "after 1 line\n");
  EXPECT_EQ(ChangedEnd(kBefore,
                       "program @p {\n  ^entry(\n      %x: a,\n      %y: b):\n"
                       "    2\n}\n"),
            "after 0 lines\n    2\n");
  EXPECT_EQ(ChangedEnd(kBefore, "program @p {\n  ^entry(%x: a):\n    1\n}\n"),
            "after 0 lines\n  ^entry(%x: a):\n    1\n");
  EXPECT_EQ(ChangedEnd(kBefore, kBefore), "after 2 lines\n");
}

}  // namespace
}  // namespace switchyard::static_graph::ir
