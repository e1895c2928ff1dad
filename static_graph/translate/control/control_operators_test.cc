// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control/control_operators.h"

#include <functional>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/translate/testing.h"

namespace switchyard::static_graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using translate::OpDesc;

OpDesc Loop() { return translate::LoopProgram().blocks(0).ops(3); }
OpDesc Branch() { return translate::BranchProgram().blocks(0).ops(1); }
OpDesc Select() { return translate::BranchProgram().blocks(0).ops(4); }

OpDesc Recurrent() {
  translate::BlockDesc block;
  OpDesc* op = translate::AddOperator(
      &block, "recurrent", {{"inputs", "x"}, {"initial_states", "first"}},
      {{"outputs", "out"}, {"step_scopes", "scopes"}});
  translate::SetBlock(op, "sub_block", 1);
  for (const char* name : {"ex_states", "states"}) {
    OpDesc::Attr* states = op->add_attrs();
    states->set_name(name);
    states->set_type(5);
    states->add_strings(std::string(name) + "_of_h");
  }
  return *op;
}

void ExpectRefused(OpDesc op, const std::function<void(OpDesc*)>& change,
                   const std::string& text) {
  change(&op);
  EXPECT_THAT(ReadControlOperator(AsForeign(op)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
}

TEST(ControlOperatorsTest, Read) {
  EXPECT_EQ(ControlKindOf("relu"), ControlKind::kNone);
  EXPECT_EQ(ControlKindOf("conditional_block_infer"),
            ControlKind::kConditional);
  const auto loop = ReadControlOperator(AsForeign(Loop()));
  ASSERT_THAT(loop, IsOk());
  EXPECT_EQ(loop->kind, ControlKind::kWhile);
  EXPECT_EQ(loop->block, 1);
  EXPECT_EQ(loop->condition, "go");
  const auto branch = ReadControlOperator(AsForeign(Branch()));
  ASSERT_THAT(branch, IsOk());
  EXPECT_EQ(branch->condition, "flag");
  const auto select = ReadControlOperator(AsForeign(Select()));
  ASSERT_THAT(select, IsOk());
  EXPECT_EQ(select->condition, "mask");
  EXPECT_THAT(select->values, ElementsAre("other", "made"));
  EXPECT_EQ(select->result, "chosen");
}

TEST(ControlOperatorsTest, ReadRecurrent) {
  OpDesc op = Recurrent();
  for (const char* name : {"reverse", "is_train", "has_states"}) {
    translate::SetBool(&op, name, true);
  }
  const auto rnn = ReadControlOperator(AsForeign(op));
  ASSERT_THAT(rnn, IsOk());
  EXPECT_EQ(rnn->kind, ControlKind::kRecurrent);
  EXPECT_EQ(rnn->block, 1);
  EXPECT_THAT(rnn->steps, ElementsAre("x"));
  EXPECT_THAT(rnn->results, ElementsAre("out"));
  EXPECT_THAT(rnn->initial_states, ElementsAre("first"));
  EXPECT_THAT(rnn->ex_states, ElementsAre("ex_states_of_h"));
  EXPECT_THAT(rnn->states, ElementsAre("states_of_h"));
  EXPECT_TRUE(rnn->reverse);
  ExpectRefused(
      Recurrent(), [](OpDesc* op) { op->mutable_inputs()->RemoveLast(); },
      "states must be as many as initial_states, 0, got 1 before and 1 after a "
      "step");
  ExpectRefused(
      Recurrent(), [](OpDesc* op) { op->mutable_inputs(0)->clear_arguments(); },
      "inputs must be one variable or more, got none");
  ExpectRefused(
      Recurrent(),
      [](OpDesc* op) { op->mutable_outputs(0)->clear_arguments(); },
      "outputs must be one variable or more, got none");
  ExpectRefused(
      Recurrent(), [](OpDesc* op) { translate::SetInt(op, "other", 2); },
      "other must be absent or neutral, got 2");
}

TEST(ControlOperatorsTest, PassOverWhatSaysNothing) {
  OpDesc op = Loop();
  translate::SetInt(&op, "op_role", 1);
  OpDesc::Attr* skipped = op.add_attrs();
  skipped->set_name("skip_eager_deletion_vars");
  skipped->set_type(5);
  skipped->add_strings("x");
  translate::SetBool(&op, "anything", false);
  op.add_inputs()->set_parameter("Anything");
  EXPECT_THAT(ReadControlOperator(AsForeign(op)), IsOk());
}

TEST(ControlOperatorsTest, RefuseSlots) {
  ExpectRefused(
      Loop(),
      [](OpDesc* op) {
        op->add_inputs()->set_parameter("Y");
        op->mutable_inputs(1)->add_arguments("x");
      },
      "inputs must be of Condition, X, got Y");
  ExpectRefused(
      Branch(), [](OpDesc* op) { op->mutable_outputs(0)->set_parameter("Y"); },
      "outputs must be of Out, Scope, got Y");
  ExpectRefused(
      Branch(), [](OpDesc* op) { op->mutable_inputs(0)->add_arguments("x"); },
      "Cond must be one variable, got 2");
  ExpectRefused(
      Loop(), [](OpDesc* op) { op->clear_inputs(); },
      "Condition must be one variable, got 0");
  ExpectRefused(
      Select(), [](OpDesc* op) { op->mutable_inputs(1)->clear_arguments(); },
      "X must be one variable or more, got none");
  ExpectRefused(
      Select(),
      [](OpDesc* op) {
        while (op->inputs(1).arguments_size() < 17) {
          op->mutable_inputs(1)->add_arguments("x");
        }
      },
      "X must be at most 16 variables, got 17");
  ExpectRefused(
      Select(), [](OpDesc* op) { op->clear_outputs(); },
      "Out must be one variable, got 0");
}

TEST(ControlOperatorsTest, RefuseAttributes) {
  ExpectRefused(
      Loop(), [](OpDesc* op) { op->clear_attrs(); },
      "attribute 'sub_block' must be the number of a block, got none");
  ExpectRefused(
      Loop(), [](OpDesc* op) { op->mutable_attrs(0)->set_type(0); },
      "attribute 'sub_block' must be the number of a block, got type 0");
  ExpectRefused(
      Loop(), [](OpDesc* op) { op->mutable_attrs(0)->clear_block_idx(); },
      "attribute 'sub_block' must be the number of a block, got type 8");
  ExpectRefused(
      Loop(), [](OpDesc* op) { translate::SetInt(op, "anything", 2); },
      "anything must be absent or neutral, got 2");
  ExpectRefused(
      Branch(), [](OpDesc* op) { op->mutable_attrs(1)->set_b(false); },
      "is_scalar_condition must be true, for a Cond of one element, got false");
  ExpectRefused(
      Branch(), [](OpDesc* op) { op->mutable_attrs()->RemoveLast(); },
      "is_scalar_condition must be true, for a Cond of one element, got false");
  ExpectRefused(
      Select(), [](OpDesc* op) { translate::SetBlock(op, "sub_block", 1); },
      "attribute 'sub_block' must be a number");
}

}  // namespace
}  // namespace switchyard::static_graph
