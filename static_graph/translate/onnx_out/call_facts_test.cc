// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/call_facts.h"

#include <memory>
#include <optional>
#include <string>

#include "framework/testing/matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/signatures/every_operator.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The first operation of a program whose feeds are x, float32[?, 3], and n,
// int64[2].
class CallFactsTest : public ::testing::Test {
 protected:
  // Reads a line that defines %0.
  CallFacts Facts(const std::string& line) {
    EXPECT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
    absl::StatusOr<ir::Program> program =
        ir::Parse(&context_,
                  "program @p {\n"
                  "  ^entry(%x: feed \"x\" tensor<float32[?, 3]>, "
                  "%n: feed \"n\" tensor<int64[2]>):\n    " +
                      line + "\n    builtin.return(\"y\" = %0)\n}\n");
    EXPECT_THAT(program.status(), IsOk());
    program_.emplace(*std::move(program));
    absl::StatusOr<OpCall> call = ReadCall(*program_->entry().front());
    EXPECT_THAT(call.status(), IsOk());
    call_ = *std::move(call);
    return CallFacts(&call_);
  }

  ir::Context context_;
  std::optional<ir::Program> program_;
  OpCall call_;
};

TEST_F(CallFactsTest, ReadInputsAndOutputsByName) {
  CallFacts facts =
      Facts("%0 = op.softmax(%x) {axis = -1} : tensor<float32[?, 3]>");
  EXPECT_TRUE(facts.Has("x"));
  EXPECT_THAT(facts.Values("x"), SizeIs(1));
  EXPECT_EQ(facts.Rank("x"), 2);
  EXPECT_EQ(facts.Dtype("x"), DataType::kFloat32);
  EXPECT_EQ(facts.Extent("x", 1), 3);
  EXPECT_TRUE(facts.Wants("out"));
  EXPECT_EQ(facts.OutShape("out"), Shape({Dim(), 3}));
  EXPECT_EQ(facts.OutDtype("out"), DataType::kFloat32);
  EXPECT_EQ(facts.Int("axis"), -1);
  EXPECT_EQ(facts.Axis("axis", 2), 1);
  EXPECT_TRUE(facts.ok());
}

TEST_F(CallFactsTest, RefuseNamesThatTheOperatorLacks) {
  CallFacts facts =
      Facts("%0 = op.softmax(%x) {axis = -1} : tensor<float32[?, 3]>");
  EXPECT_FALSE(facts.Has("y"));
  EXPECT_EQ(facts.refusal(), "it has no input y");
  EXPECT_EQ(facts.Int("slope"), 0);
  EXPECT_FALSE(facts.Wants("mask"));
  EXPECT_EQ(facts.OutDtype("mask"), DataType::kUndefined);
  EXPECT_EQ(facts.refusal(), "it has no input y") << "the first refusal stays";
}

TEST_F(CallFactsTest, RefuseAttributesThatTheOperatorLacks) {
  CallFacts facts =
      Facts("%0 = op.softmax(%x) {axis = -1} : tensor<float32[?, 3]>");
  EXPECT_FALSE(facts.Flag("keepdim"));
  EXPECT_EQ(facts.refusal(), "it has no attribute keepdim");
}

TEST_F(CallFactsTest, RefuseAnExtentThatIsNotKnown) {
  CallFacts facts =
      Facts("%0 = op.softmax(%x) {axis = -1} : tensor<float32[?, 3]>");
  EXPECT_EQ(facts.Extent("x", 0), 1);
  EXPECT_EQ(facts.refusal(), "the extent of axis 0 of x must be known");
}

TEST_F(CallFactsTest, ReadNumbersOfEachKind) {
  CallFacts facts = Facts(
      "%0 = op.hardsigmoid(%x) {offset = 0.25 : float64, slope = 0.5 : "
      "float64} : "
      "tensor<float32[?, 3]>");
  EXPECT_EQ(facts.Float("slope"), 0.5);
  EXPECT_EQ(facts.Number("offset").ToDouble(), 0.25);
  EXPECT_EQ(facts.Text("slope"), "") << "it is no text";
  EXPECT_TRUE(facts.ok()) << facts.refusal();
}

TEST_F(CallFactsTest, ReadLists) {
  CallFacts facts = Facts(
      "%0 = op.reshape(%x) {shape = int64[3, -1]} : tensor<float32[3, ?]>");
  EXPECT_TRUE(facts.Known("shape"));
  EXPECT_THAT(facts.Ints("shape"), ElementsAre(3, -1));
  EXPECT_EQ(facts.Supplied("shape"), nullptr);
  EXPECT_TRUE(facts.ok()) << facts.refusal();
}

TEST_F(CallFactsTest, KnowWhatValuesSupply) {
  CallFacts facts = Facts(
      "%0 = op.reshape(%x, %n) {operand_segments = int32[1, 1]} : "
      "tensor<float32[?, ?]>");
  EXPECT_FALSE(facts.Known("shape"));
  ASSERT_NE(facts.Supplied("shape"), nullptr);
  EXPECT_THAT(facts.Supplied("shape")->values, SizeIs(1));
  EXPECT_TRUE(facts.ok());
  EXPECT_THAT(facts.Ints("shape"), IsEmpty());
  EXPECT_EQ(facts.refusal(), "shape is known only when the program runs");
}

}  // namespace
}  // namespace switchyard::static_graph
