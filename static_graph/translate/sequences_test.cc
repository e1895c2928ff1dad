// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using translate::AddOperator;
using translate::AddVariable;
using translate::BlockDesc;
using translate::ProgramDesc;

// sum = a + b, for variables of [-1, 2] that are described with these levels.
std::string SumOf(int a, int b, int sum) {
  ProgramDesc program;
  BlockDesc* block = program.add_blocks();
  block->set_idx(0);
  block->set_parent_idx(-1);
  const auto add = [block](const char* name, int levels) {
    AddVariable(block, name, {-1, 2})
        ->mutable_type()
        ->mutable_dense_tensor()
        ->set_lod_level(levels);
  };
  add("a", a);
  add("b", b);
  add("sum", sum);
  AddOperator(block, "elementwise_add", {{"X", "a"}, {"Y", "b"}},
              {{"Out", "sum"}});
  ir::Context context;
  EXPECT_THAT(RegisterDialects(&context, LoadableOps()), IsOk());
  const auto translated = TranslateProgram(program, "main", &context);
  EXPECT_THAT(translated, IsOk());
  return translated.ok() ? ir::Print(translated->program) : "";
}

TEST(WithSequencesTest, AResultGetsThoseOfTheFirstOperandThatHasSome) {
  EXPECT_THAT(SumOf(1, 1, 1), ContainsRegex("with_sequences\\(%0, %a\\)"));
  EXPECT_THAT(SumOf(0, 1, 1), ContainsRegex("with_sequences\\(%0, %b\\)"));
  EXPECT_THAT(SumOf(2, 1, 1), ContainsRegex("with_sequences\\(%0, %b\\)"));
  EXPECT_THAT(SumOf(2, 0, 2), HasSubstr("lod 2"));
}

TEST(WithSequencesTest, NothingIsAddedWhereTheProgramSaysNone) {
  EXPECT_THAT(SumOf(1, 1, 0), Not(HasSubstr("with_sequences")));
  EXPECT_THAT(SumOf(0, 0, 1), Not(HasSubstr("with_sequences")));
  EXPECT_THAT(SumOf(2, 2, 1), Not(HasSubstr("with_sequences")));
}

// A value that is read from an array has the sequences of the element; neither
// it nor its double is described with some.
TEST(WithSequencesTest, ThoseThatNoDescriptionKnowsAreKept) {
  ProgramDesc program;
  BlockDesc* block = program.add_blocks();
  block->set_idx(0);
  block->set_parent_idx(-1);
  AddVariable(block, "x", {-1, 2})
      ->mutable_type()
      ->mutable_dense_tensor()
      ->set_lod_level(2);
  translate::AddTyped(block, "i", {1}, 3);
  translate::AddArray(block, "steps", {-1, 2});
  for (const char* name : {"step", "twice"}) AddVariable(block, name, {-1, 2});
  AddOperator(block, "write_to_array", {{"X", "x"}, {"I", "i"}},
              {{"Out", "steps"}});
  AddOperator(block, "read_from_array", {{"X", "steps"}, {"I", "i"}},
              {{"Out", "step"}});
  translate::SetFloat(
      AddOperator(block, "scale", {{"X", "step"}}, {{"Out", "twice"}}), "scale",
      2.0f);
  ir::Context context;
  ASSERT_THAT(RegisterDialects(&context, LoadableOps()), IsOk());
  const auto translated = TranslateProgram(program, "main", &context);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(ir::Print(translated->program),
              ContainsRegex("%twice = op.with_sequences.*lod 2"));
}

}  // namespace
}  // namespace switchyard::static_graph
