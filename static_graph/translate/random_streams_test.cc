// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/random_streams.h"

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
using translate::AddOperator;
using translate::AddVariable;
using translate::BlockDesc;
using translate::OpDesc;
using translate::ProgramDesc;

class RandomStreamsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, LoadableOps()), IsOk());
  }
  OpDesc* AddDropout(BlockDesc* block, const std::string& out) {
    AddVariable(block, out, {-1, 2});
    AddVariable(block, out + "_mask", {});
    return AddOperator(block, "dropout", {{"X", "x"}},
                       {{"Out", out}, {"Mask", out + "_mask"}});
  }
  absl::StatusOr<TranslatedProgram> Translated() {
    return TranslateProgram(program_, "main", &context_);
  }

  ir::Context context_;
  ProgramDesc program_ = translate::LoopProgram();
};

TEST_F(RandomStreamsTest, DrawFromTheStateOneStreamEach) {
  AddDropout(program_.mutable_blocks(0), "a");
  AddDropout(program_.mutable_blocks(0), "b");
  const auto translated = Translated();
  ASSERT_THAT(translated, IsOk());
  EXPECT_TRUE(translated->states.empty());
  const std::string text = ir::Print(translated->program);
  for (const char* part : {"%rng: state \"rng\" tensor<int64[2]>",
                           "op.dropout(%x, %rng)", "stream = 0", "stream = 1",
                           "value = dense<int64[2]>[0, 2]", "\"rng\" = "}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
}

TEST_F(RandomStreamsTest, ASeedOfItsOwnIsAConstant) {
  translate::SetInt(AddDropout(program_.mutable_blocks(1), "a"), "seed", 7);
  translate::SetBool(program_.mutable_blocks(1)->mutable_ops(
                         program_.blocks(1).ops_size() - 1),
                     "fix_seed", true);
  const auto translated = Translated();
  ASSERT_THAT(translated, IsOk());
  EXPECT_TRUE(translated->program.new_states().empty());
  EXPECT_THAT(ir::Print(translated->program),
              HasSubstr("value = dense<int64[2]>[7, 0]"));
}

TEST_F(RandomStreamsTest, RefuseWhatWouldDrawTheSameAgain) {
  AddDropout(program_.mutable_blocks(1), "a");
  EXPECT_THAT(Translated(),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("block 1, operator 5, dropout: a random "
                                 "operator without a seed must be outside of "
                                 "while, got one inside")));
}

TEST_F(RandomStreamsTest, RefuseASeedFromATensor) {
  OpDesc* dropout = AddDropout(program_.mutable_blocks(0), "a");
  OpDesc::Var* seed = dropout->add_inputs();
  seed->set_parameter("Seed");
  seed->add_arguments("n");
  EXPECT_THAT(Translated(),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("dropout: Seed must be absent, since a seed "
                                 "must be known before the run")));
}

TEST_F(RandomStreamsTest, RefuseAVariableWithTheNameOfTheState) {
  AddVariable(program_.mutable_blocks(0), "rng", {2}, /*persistable=*/true);
  EXPECT_THAT(Translated(), IsOk());
  AddDropout(program_.mutable_blocks(0), "a");
  EXPECT_THAT(Translated(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("variable 'rng' must be of another name")));
}

}  // namespace
}  // namespace switchyard::static_graph
