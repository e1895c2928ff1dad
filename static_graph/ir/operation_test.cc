// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/operation.h"

#include <gtest/gtest.h>

#include <vector>

#include "static_graph/ir/builder.h"
#include "static_graph/ir/clone.h"
#include "static_graph/ir/program.h"
#include "static_graph/ir/segments.h"
#include "static_graph/ir/testing/test_dialect.h"

namespace switchyard::static_graph::ir {
namespace {

class OperationTest : public ::testing::Test {
 protected:
  OperationTest() : program_((RegisterTestDialect(&context_), &context_), "p") {
    type_ = context_.GetTensorType(DataType::kFloat32, Shape({2}));
    x_ = program_.AddFeed("x", type_);
  }
  Operation* Add(std::vector<Value> operands, int results = 1,
                 int regions = 0) {
    OperationState state;
    state.definition = context_.FindOp("test.op");
    state.operands = std::move(operands);
    state.results.assign(static_cast<size_t>(results), type_);
    state.regions = regions;
    return Builder(&context_, &program_.entry()).Create(state);
  }
  static int CountUses(Value value) {
    int count = 0;
    for (const OpOperand& use : value.uses()) {
      EXPECT_EQ(use.value(), value);
      ++count;
    }
    return count;
  }

  Context context_;
  Program program_;
  TensorType type_;
  Value x_;
};

TEST_F(OperationTest, FindsItsPartsByAddress) {
  Operation* op = Add({x_, x_, x_}, 3, 2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(op->result(i).defining_op(), op);
    EXPECT_EQ(op->result(i).index(), i);
    EXPECT_EQ(op->use(i).index(), i);
    EXPECT_EQ(op->use(i).owner(), op);
  }
  EXPECT_EQ(op->block(1).parent_op(), op);
  EXPECT_EQ(x_.defining_op(), nullptr);
  EXPECT_EQ(x_.argument_block(), &program_.entry());
}

TEST_F(OperationTest, KeepsUseLists) {
  EXPECT_FALSE(x_.has_uses());
  Operation* a = Add({x_, x_});
  EXPECT_EQ(CountUses(x_), 2);
  EXPECT_FALSE(x_.has_one_use());
  Operation* b = Add({x_, a->result(0)});
  EXPECT_TRUE(a->result(0).has_one_use());
  x_.ReplaceAllUsesWith(x_);
  EXPECT_EQ(CountUses(x_), 3);
  b->SetOperand(0, a->result(0));
  EXPECT_EQ(CountUses(x_), 2);
  EXPECT_EQ(CountUses(a->result(0)), 2);
  a->result(0).ReplaceAllUsesWith(x_);
  EXPECT_TRUE(a->unused());
  EXPECT_EQ(CountUses(x_), 4);
  a->Erase();
  EXPECT_EQ(CountUses(x_), 2);
  EXPECT_EQ(program_.entry().size(), 1);
}

TEST_F(OperationTest, MovesBetweenPlaces) {
  Operation* a = Add({});
  Operation* b = Add({}, 1, 1);
  Operation* c = Add({});
  c->MoveBefore(a);
  EXPECT_EQ(program_.entry().front(), c);
  EXPECT_EQ(program_.entry().back(), b);
  c->MoveBefore(c);
  a->Remove();
  EXPECT_EQ(a->parent(), nullptr);
  b->block(0).push_back(a);
  EXPECT_EQ(a->parent_op(), b);
  EXPECT_TRUE(b->IsAncestorOf(a));
  EXPECT_FALSE(a->IsAncestorOf(b));
  const std::vector<Operation*> all = AllOperations(program_.entry());
  EXPECT_EQ(all, (std::vector<Operation*>{c, b, a}));
}

TEST_F(OperationTest, SortsAttributesByName) {
  Operation* op = Add({});
  const Attribute one = context_.GetAttribute(1);
  for (const char* name : {"b", "c", "a"}) {
    op->SetAttribute(context_.GetString(name), one);
  }
  op->SetAttribute(context_.GetString("b"), context_.GetAttribute(2));
  op->RemoveAttribute("c");
  ASSERT_EQ(op->attributes().size(), 2u);
  EXPECT_EQ(op->attributes()[0].name.text(), "a");
  EXPECT_EQ(op->attribute("b").As<int>(), 2);
  EXPECT_FALSE(op->attribute("c"));
}

TEST_F(OperationTest, IsPureIfWhatIsInsideIs) {
  Operation* op = Add({}, 0, 1);
  EXPECT_TRUE(IsPure(*op));
  OperationState state;
  state.definition = context_.FindOp("test.effect");
  Builder(&context_, &op->block(0)).Create(state);
  EXPECT_FALSE(IsPure(*op));
}

TEST_F(OperationTest, TakesTheBodyOfABlock) {
  Operation* op = Add({}, 0, 2);
  const Value argument = op->block(0).AddArgument(type_);
  OperationState state;
  state.definition = context_.FindOp("test.yield");
  state.operands = {argument};
  Operation* yield = Builder(&context_, &op->block(0)).Create(state);
  op->block(1).TakeBody(op->block(0));
  EXPECT_TRUE(op->block(0).empty());
  EXPECT_EQ(op->block(0).num_arguments(), 0);
  EXPECT_EQ(op->block(1).terminator(), yield);
  EXPECT_EQ(argument.argument_block(), &op->block(1));
}

TEST_F(OperationTest, FindsSegments) {
  Operation* op = Add({x_, x_, x_});
  EXPECT_EQ(NumOperandSegments(*op), 3);
  EXPECT_EQ(OperandSegment(*op, 2).begin, 2);
  const int sizes[] = {1, 0, 2};
  op->SetAttribute(context_.GetString(kOperandSegments),
                   context_.GetAttribute(absl::MakeConstSpan(sizes)));
  EXPECT_EQ(VerifySegments(*op), absl::OkStatus());
  EXPECT_EQ(NumOperandSegments(*op), 3);
  EXPECT_EQ(OperandSegment(*op, 1).size, 0);
  EXPECT_EQ(OperandSegment(*op, 2).begin, 1);
  EXPECT_EQ(OperandSegment(*op, 2).size, 2);
}

TEST_F(OperationTest, BuildsClonesAndFreesLongPrograms) {
  Value value = x_;
  for (int i = 0; i < 100000; ++i) value = Add({value})->result(0);
  program_.Return({{"y", value}}, {});
  const Program copy = program_.Clone();
  EXPECT_EQ(copy.entry().size(), 100001);
  EXPECT_NE(copy.fetches()[0].value, value);
  EXPECT_EQ(copy.FindArgument(ArgumentRole::kFeed, "x").type(), type_);
}

TEST_F(OperationTest, FreesAndClonesDeepPrograms) {
  Block* block = &program_.entry();
  for (int i = 0; i < 100000; ++i) {
    OperationState state;
    state.definition = context_.FindOp("test.scope");
    state.regions = 1;
    block = &Builder(&context_, block).Create(state)->block(0);
  }
  EXPECT_EQ(AllOperations(program_.entry()).size(), 100000u);
  const Program copy = program_.Clone();
  EXPECT_EQ(AllOperations(copy.entry()).size(), 100000u);
}

TEST_F(OperationTest, ErasesUnusedArguments) {
  program_.AddState("w", type_);
  const Value v = program_.AddState("v", type_);
  program_.Return({{"y", v}}, {});
  program_.entry().EraseUnusedArguments();
  ASSERT_EQ(program_.entry().num_arguments(), 1);
  EXPECT_EQ(program_.entry().argument(0), v);
  EXPECT_EQ(v.index(), 0);
  EXPECT_EQ(v.role(), ArgumentRole::kState);
  EXPECT_EQ(program_.FindArgument(ArgumentRole::kState, "v"), v);
  EXPECT_FALSE(program_.FindArgument(ArgumentRole::kState, "w"));
  EXPECT_FALSE(program_.FindArgument(ArgumentRole::kFeed, "x"));
}

TEST_F(OperationTest, FindsArgumentsByRoleAndName) {
  const Value first = program_.AddState("x", type_);
  program_.AddState("x", type_);
  EXPECT_EQ(program_.FindArgument(ArgumentRole::kFeed, "x"), x_);
  // A program with the name twice is invalid, but may be looked at.
  EXPECT_EQ(program_.FindArgument(ArgumentRole::kState, "x"), first);
  EXPECT_FALSE(program_.FindArgument(ArgumentRole::kState, "y"));
  EXPECT_FALSE(program_.FindArgument(ArgumentRole::kNone, "x"));
}

}  // namespace
}  // namespace switchyard::static_graph::ir
