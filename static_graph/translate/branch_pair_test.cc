// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/branch_pair.h"

#include <functional>
#include <string>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;
using testing::Not;
using translate::BlockDesc;
using translate::OpDesc;
using translate::ProgramDesc;

// Operators of PairProgram().
constexpr int kThen = 1;
constexpr int kElse = 3;
constexpr int kCast = 4;
constexpr int kSelect = 5;

// BranchProgram(), in which block 2 writes other where flag is false; made is
// not fetched.
ProgramDesc PairProgram() {
  ProgramDesc program = translate::BranchProgram();
  BlockDesc* inner = translate::AddBlock(&program, 0);
  translate::AddScale(inner, "x", "other", -1);
  BlockDesc* block = program.mutable_blocks(0);
  const BlockDesc before = *block;
  translate::AddVariable(block, "not_flag", {1})
      ->mutable_type()
      ->mutable_dense_tensor()
      ->mutable_tensor()
      ->set_data_type(0);
  block->clear_ops();
  for (const int op : {0, 1}) *block->add_ops() = before.ops(op);
  translate::AddOperator(block, "logical_not", {{"X", "flag"}},
                         {{"Out", "not_flag"}});
  OpDesc* other = block->add_ops();
  *other = before.ops(kThen);
  other->mutable_inputs(0)->set_arguments(0, "not_flag");
  other->mutable_outputs(0)->set_arguments(0, "other");
  other->mutable_attrs(0)->set_block_idx(2);
  for (const int op : {2, 4, 5, 6, 7, 8}) *block->add_ops() = before.ops(op);
  return program;
}

class BranchPairTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, LoadableOps()), IsOk());
  }
  // How many operations cf.if the program becomes after a change.
  int Branches(const std::function<void(BlockDesc*)>& change) {
    ProgramDesc program = PairProgram();
    change(program.mutable_blocks(0));
    const auto translated = TranslateProgram(program, "main", &context_);
    EXPECT_THAT(translated, IsOk());
    if (!translated.ok()) return 0;
    text_ = ir::Print(translated->program);
    int count = 0;
    for (size_t at = text_.find("cf.if"); at != std::string::npos;
         at = text_.find("cf.if", at + 1)) {
      ++count;
    }
    return count;
  }

  ir::Context context_;
  std::string text_;
};

TEST_F(BranchPairTest, BecomesOneBranchOfTwoSides) {
  EXPECT_EQ(Branches([](BlockDesc*) {}), 1);
  EXPECT_THAT(text_, HasSubstr("%chosen, %kept_1 = cf.if(%flag)"));
  EXPECT_THAT(text_, Not(HasSubstr("op.full")));
  EXPECT_THAT(text_, HasSubstr("\"kept\" = %kept_1, \"chosen\" = %chosen"));
}

TEST_F(BranchPairTest, ChoicesMayBeSeveral) {
  EXPECT_EQ(Branches([](BlockDesc* block) {
              translate::AddVariable(block, "again", {-1, 2});
              OpDesc* again = block->mutable_ops(kSelect + 1);
              block->add_ops()->Swap(again);  // The feed of x.
              *again = block->ops(kSelect);
              again->mutable_outputs(0)->set_arguments(0, "again");
            }),
            1);
  EXPECT_THAT(text_, HasSubstr("%chosen, %again, %kept_1 = cf.if(%flag)"));
}

TEST_F(BranchPairTest, OthersStayTwoBranchesAndAChoice) {
  const std::function<void(BlockDesc*)> changes[] = {
      // Its variables are read by something else.
      [](BlockDesc* block) {
        translate::SetInt(
            translate::AddOperator(block, "fetch", {{"X", "made"}},
                                   {{"Out", "fetch"}}),
            "col", 2);
      },
      [](BlockDesc* block) {
        translate::SetInt(
            translate::AddOperator(block, "fetch", {{"X", "other"}},
                                   {{"Out", "fetch"}}),
            "col", 2);
      },
      // The choice is the other way round.
      [](BlockDesc* block) {
        block->mutable_ops(kSelect)
            ->mutable_inputs(1)
            ->mutable_arguments()
            ->SwapElements(0, 1);
      },
      // The second branch or the mask have another condition.
      [](BlockDesc* block) {
        block->mutable_ops(kElse)->mutable_inputs(0)->set_arguments(0, "flag");
      },
      [](BlockDesc* block) {
        block->mutable_ops(kCast)->mutable_inputs(0)->set_arguments(0,
                                                                    "not_flag");
      },
  };
  for (const auto& change : changes) EXPECT_EQ(Branches(change), 3);
}

TEST_F(BranchPairTest, ABranchMayWriteTheCondition) {
  ProgramDesc program = PairProgram();
  translate::AddOperator(program.mutable_blocks(1), "assign", {{"X", "flag"}},
                         {{"Out", "flag"}});
  const auto translated = TranslateProgram(program, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(ir::Print(translated->program), HasSubstr("%flag_1"));
}

}  // namespace
}  // namespace switchyard::static_graph
