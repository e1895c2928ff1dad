// SPDX-License-Identifier: Apache-2.0
// Verifies what no text can express: programs that are wrong as only a builder
// can make them. All other diagnostics have files (diagnostics_test.cc).
#include "static_graph/ir/verifier.h"

#include <gtest/gtest.h>

#include <string>

#include "static_graph/ir/builder.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/testing/test_dialect.h"

namespace switchyard::static_graph::ir {
namespace {

class VerifierTest : public ::testing::Test {
 protected:
  VerifierTest() : program_((RegisterTestDialect(&context_), &context_), "p") {
    type_ = context_.GetTensorType(DataType::kBool, Shape());
    x_ = program_.AddFeed("x", type_);
    a_ = Add({x_});
    b_ = Add({a_->result(0)});
    program_.Return({{"b", b_->result(0)}}, {});
  }

  // At the end of the block, before the terminator.
  Operation* Add(std::vector<Value> operands, int regions = 0) {
    OperationState state;
    state.definition = context_.FindOp(regions > 0 ? "test.scope" : "test.op");
    state.operands = std::move(operands);
    state.results = {type_};
    state.regions = regions;
    Builder builder(&context_, &program_.entry());
    if (program_.return_op() != nullptr) {
      builder.SetInsertionPoint(program_.return_op());
    }
    return builder.Create(state);
  }

  void AddYield(Block& block, std::vector<Value> operands) {
    OperationState state;
    state.definition = context_.FindOp("test.yield");
    state.operands = std::move(operands);
    Builder(&context_, &block).Create(state);
  }

  void ExpectError(const std::string& text) {
    const absl::Status status = Verify(program_);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
        << status.message();
  }

  Context context_;
  Program program_;
  TensorType type_;
  Value x_;
  Operation* a_;
  Operation* b_;
};

TEST_F(VerifierTest, AcceptsAProgram) {
  EXPECT_EQ(Verify(program_), absl::OkStatus());
}

TEST_F(VerifierTest, ShowsTheOperationBetweenItsNeighbours) {
  b_->MoveBefore(a_);
  ExpectError(
      "test.op: operand 0 must be defined before it, in the same block or one "
      "around it\n"
      "> %0 = test.op(%1) : tensor<bool[]>\n"
      "  %1 = test.op(%x) : tensor<bool[]>\n"
      "  builtin.return(\"b\" = %0)");
}

TEST_F(VerifierTest, RejectsAUseOutsideOfTheRegion) {
  Operation* scope = Add({}, 1);
  AddYield(scope->block(0), {});
  a_->MoveBefore(scope->block(0).front());
  scope->MoveBefore(b_);
  ExpectError(
      "operand 0 must be defined before it, in the same block or one "
      "around it");
}

TEST_F(VerifierTest, RejectsAUseInsideOfTheDefinition) {
  Operation* scope = Add({}, 1);
  AddYield(scope->block(0), {scope->result(0)});
  ExpectError("test.yield: operand 0 must be defined before it");
}

TEST_F(VerifierTest, RejectsNoOperand) {
  b_->SetOperand(0, Value());
  ExpectError("operand 0 must be a value, got none");
}

TEST_F(VerifierTest, RejectsAValueWithoutType) {
  a_->result(0).SetType(TensorType());
  ExpectError("every value must have a type");
}

TEST_F(VerifierTest, RejectsAUseThatIsInNoProgram) {
  OperationState state;
  state.definition = context_.FindOp("test.op");
  state.operands = {x_};
  Operation* detached = Operation::Create(state);
  ExpectError(
      "its values must be used in the program only, got a use by test.op "
      "outside");
  detached->Destroy();
  EXPECT_EQ(Verify(program_), absl::OkStatus());
}

TEST_F(VerifierTest, RejectsAStateInside) {
  Operation* scope = Add({}, 1);
  scope->block(0).AddArgument(type_, ArgumentRole::kState,
                              context_.GetString("w"));
  AddYield(scope->block(0), {});
  ExpectError(
      "only the program's arguments may be feeds or states, got one in an "
      "inner block");
}

TEST_F(VerifierTest, RejectsDeepRegions) {
  Operation* op = Add({}, 1);
  for (int depth = 0; depth < kMaxRegionDepth; ++depth) {
    AddYield(op->block(0), {});
    OperationState state;
    state.definition = context_.FindOp("test.scope");
    state.regions = 1;
    Operation* inner = Operation::Create(state);
    op->block(0).Insert(inner, op->block(0).back());
    op = inner;
  }
  AddYield(op->block(0), {});
  ExpectError("regions must be at most 64 deep");
}

}  // namespace
}  // namespace switchyard::static_graph::ir
