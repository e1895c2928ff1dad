// SPDX-License-Identifier: Apache-2.0
// Locations from building to running: what passes, gradients, lowering and
// files make of them, and the errors that they stand in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/anomaly/anomaly.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/graph_builder.h"
#include "static_graph/program/saved_program.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ToyContext;
using testing::ToyKernels;

constexpr ir::PrintOptions kLocated = {/*locations=*/true};

class LocationTest : public ::testing::Test {
 protected:
  ir::Program Parse(std::string_view text) {
    absl::StatusOr<ir::Program> program = ir::Parse(context_.get(), text);
    EXPECT_THAT(program, IsOk());
    return *std::move(program);
  }

  std::unique_ptr<ir::Context> context_ = ToyContext();
};

TEST_F(LocationTest, GradientsComeFromWhereTheForwardDoes) {
  GraphBuilder builder(context_.get(), "located");
  const ir::Value x = *builder.AddFeed("x", DataType::kFloat32, {1});
  builder.SetLocation(context_->GetLocation("model.py", 7));
  const ir::Value y = *builder.Call("relu", {x});
  builder.SetLocation(context_->GetLocation("train.py", 3));
  const auto gradients = builder.Gradients(y, {x});
  ASSERT_THAT(gradients, IsOk());
  ASSERT_THAT(builder.Fetch("g", (*gradients)[0]), IsOk());
  const ir::Program program = *builder.Finish();
  const std::string text = ir::Print(program, kLocated);
  EXPECT_THAT(text, HasSubstr("op.relu(%x) : tensor<float32[1]> "
                              "loc(\"model.py\":7)"));
  EXPECT_EQ((*gradients)[0].defining_op()->name(), "op.relu_grad");
  EXPECT_EQ(ir::ToString((*gradients)[0].defining_op()->location().spec()),
            "model.py:7");
  EXPECT_THAT(ir::Print(program), Not(HasSubstr("loc(")));
}

TEST_F(LocationTest, StandsInErrorsOfVerification) {
  const ir::Program program = Parse(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.relu(%x) : tensor<float32[3]> loc("model.py":12)
    builtin.return("y" = %0)
})");
  EXPECT_THAT(Executable::Compile(program, ToyKernels()).status().message(),
              HasSubstr("[3] (at model.py:12)\n"));
}

TEST_F(LocationTest, StandsInErrorsOfLowering) {
  const ir::Program program = Parse(R"(program @p {
  ^entry(%x: feed "x" tensor<int8[2]>):
    %0 = op.relu(%x) : tensor<int8[2]> loc("ocr.pdmodel":0:3)
    builtin.return("y" = %0)
})");
  EXPECT_THAT(Executable::Compile(program, ToyKernels()).status().message(),
              HasSubstr(" (at operation 3 of block 0 of ocr.pdmodel)"));
}

TEST_F(LocationTest, StandsInErrorsOfRunsAndSurvivesFiles) {
  ir::Program program = Parse(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>, %y: feed "y" tensor<float32[?]>):
    %0 = op.add(%x, %y) : tensor<float32[?]> loc("model.py":5)
    builtin.return("y" = %0)
})");
  const absl::StatusOr<std::string> bytes = SerializeProgram(program, {});
  ASSERT_THAT(bytes, IsOk());
  const std::unique_ptr<ir::Context> other = ToyContext();
  const auto saved = DeserializeProgram(other.get(), *bytes);
  ASSERT_THAT(saved, IsOk());
  const auto compiled = Executable::Compile(saved->program, ToyKernels());
  ASSERT_THAT(compiled, IsOk());
  const auto run = (*compiled)->Run({{"x", MakeTensor<float>({2}, {1, 2})},
                                     {"y", MakeTensor<float>({3}, {1, 2, 3})}});
  EXPECT_THAT(run.status().message(), HasSubstr(" (at model.py:5)"));
}

TEST_F(LocationTest, StandsInAnomaliesOfRunsThatDetectThem) {
  const ir::Program program = Parse(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.add(%x, %x) : tensor<float32[2]> loc("model.py":5)
    %1 = op.relu(%0) : tensor<float32[2]> loc("model.py":6)
    builtin.return("y" = %1)
})");
  const auto compiled = Executable::Compile(program, ToyKernels());
  ASSERT_THAT(compiled, IsOk());
  const std::vector<Feed> feeds = {{"x", MakeTensor<float>({2}, {1, -3e38f})}};
  EXPECT_THAT((*compiled)->Run(feeds), IsOk());
  RunOptions options;
  options.detect_anomaly = true;
  const absl::Status status =
      (*compiled)->Run(feeds, nullptr, options).status();
  EXPECT_TRUE(phi::IsPlacedAnomaly(status));
  EXPECT_THAT(status.message(),
              HasSubstr("add: out has infinity at [1], though x (from -3e+38 "
                        "to 1) and y (from -3e+38 to 1) are finite (at "
                        "model.py:5)"));
  EXPECT_THAT((*compiled)->Run({{"x", MakeTensor<float>({2}, {1, 2})}}, nullptr,
                               options),
              IsOk());
}

}  // namespace
}  // namespace switchyard::static_graph
