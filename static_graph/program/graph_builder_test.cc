// SPDX-License-Identifier: Apache-2.0
// Programs of toy operators. The real ones, random operators among them, are
// trained through the builder in tests/eager_static/training_test.cc.
#include "static_graph/program/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/printer.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/pipeline.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ToyKernels;

constexpr auto kFailedPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalidArgument = absl::StatusCode::kInvalidArgument;

class GraphBuilderTest : public ::testing::Test {
 protected:
  ir::Value Feed(const std::string& name, const Shape& shape = {1},
                 DataType dtype = DataType::kFloat32) {
    return *builder_.AddFeed(name, dtype, shape);
  }
  // Compiles what was built; the test fails if it can't be.
  std::shared_ptr<const Executable> Compile() {
    absl::StatusOr<ir::Program> graph = builder_.Finish();
    EXPECT_THAT(graph, IsOk());
    EXPECT_THAT(Optimize(*graph, ToyKernels()), IsOk());
    auto program = Executable::Compile(*graph, ToyKernels());
    EXPECT_THAT(program, IsOk());
    return program.ok() ? *program : nullptr;
  }

  const std::unique_ptr<ir::Context> context_ = testing::ToyContext();
  GraphBuilder builder_{context_.get(), "p"};
};

// Finds w with w * 3 = 6 by steps along the gradient of (w * x - y)^2, that
// is w -= rate * 2 * (w * x - y) * x.
TEST_F(GraphBuilderTest, BuildsATrainingProgram) {
  const ir::Value x = Feed("x");
  const ir::Value minus_y = Feed("minus_y");
  const ir::Value w = *builder_.AddState("w", DataType::kFloat32, {1});
  const ir::Value rate = *builder_.AddState("rate", DataType::kFloat32, {1});
  const ir::Value error =
      *builder_.Call("add", {*builder_.Call("multiply", {w, x}), minus_y});
  const ir::Value loss = *builder_.Call("multiply", {error, error});
  const auto gradients = builder_.Gradients(loss, {w});
  ASSERT_THAT(gradients, IsOk());
  const auto stepped = builder_.Call("sgd_", {w, rate, (*gradients)[0]});
  ASSERT_THAT(stepped, IsOk());
  ASSERT_THAT(builder_.Update("w", *stepped), IsOk());
  ASSERT_THAT(builder_.Fetch("loss", loss), IsOk());
  const auto program = Compile();

  State state;
  ASSERT_THAT(state.Set("w", MakeTensor<float>({1}, {1})), IsOk());
  ASSERT_THAT(state.Set("rate", MakeTensor<float>({1}, {0.03125f})), IsOk());
  const std::vector<static_graph::Feed> feeds = {
      {"x", MakeTensor<float>({1}, {3})},
      {"minus_y", MakeTensor<float>({1}, {-6})}};
  float expected = 1;
  for (int step = 0; step < 5; ++step) {
    const auto fetches = program->Run(feeds, &state);
    ASSERT_THAT(fetches, IsOk());
    const float off = expected * 3 - 6;
    EXPECT_THAT(ToVector<float>((*fetches)[0].tensor), ElementsAre(off * off));
    // Powers of two and short fractions: exact.
    expected -= 0.03125f * 2 * off * 3;
    EXPECT_THAT(ToVector<float>(*state.Find("w")), ElementsAre(expected));
  }
}

TEST_F(GraphBuilderTest, OptimizesWhatItBuilds) {
  const ir::Value x = Feed("x");
  const ir::Value two = *builder_.Constant(MakeTensor<float>({1}, {2}));
  const ir::Value four = *builder_.Call("add", {two, two});
  const ir::Value once = *builder_.Call("multiply", {x, four});
  const ir::Value again = *builder_.Call("multiply", {x, four});
  ASSERT_THAT(builder_.Call("relu", {x}), IsOk());  // Unused.
  ASSERT_THAT(builder_.Fetch("y", *builder_.Call("add", {once, again})),
              IsOk());
  absl::StatusOr<ir::Program> graph = builder_.Finish();
  ASSERT_THAT(graph, IsOk());
  ASSERT_THAT(Optimize(*graph, ToyKernels()), IsOk());
  EXPECT_EQ(ir::Print(*graph), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1]>):
    %0 = builtin.constant() {value = dense<float32[1]>[4.0]} : tensor<float32[1]>
    %1 = op.multiply(%x, %0) : tensor<float32[1]>
    %2 = op.add(%1, %1) : tensor<float32[1]>
    builtin.return("y" = %2)
}
)");
}

TEST_F(GraphBuilderTest, BuildsControlFlow) {
  using Values = std::vector<ir::Value>;
  const ir::Value x = Feed("x");
  const ir::Value limit = Feed("limit");
  const auto doubled = builder_.While(
      {x},
      [&](absl::Span<const ir::Value> now) -> absl::StatusOr<Values> {
        return Values{*builder_.Call("less_than", {now[0], limit})};
      },
      [&](absl::Span<const ir::Value> now) -> absl::StatusOr<Values> {
        EXPECT_NE(builder_.region(), 0);
        return Values{*builder_.Call("add", {now[0], now[0]})};
      });
  ASSERT_THAT(doubled, IsOk());
  const ir::Value small = *builder_.Call("less_than", {x, limit});
  const auto chosen = builder_.If(
      small, [&](absl::Span<const ir::Value>) { return *doubled; },
      [&](absl::Span<const ir::Value>) { return Values{x}; });
  ASSERT_THAT(chosen, IsOk());
  ASSERT_THAT(builder_.Fetch("y", (*chosen)[0]), IsOk());
  const auto program = Compile();
  const auto run = [&](float from) {
    const auto fetches =
        program->Run({{"x", MakeTensor<float>({1}, {from})},
                      {"limit", MakeTensor<float>({1}, {20})}});
    EXPECT_THAT(fetches, IsOk());
    return ToVector<float>((*fetches)[0].tensor);
  };
  EXPECT_THAT(run(3), ElementsAre(24));
  EXPECT_THAT(run(50), ElementsAre(50));
}

TEST_F(GraphBuilderTest, DropsARegionThatFails) {
  const ir::Value x = Feed("x");
  const ir::Value c = Feed("c", {}, DataType::kBool);
  int64_t region = 0;
  const auto none = [](absl::Span<const ir::Value>) {
    return std::vector<ir::Value>{};
  };
  const auto failing = [&](absl::Span<const ir::Value>)
      -> absl::StatusOr<std::vector<ir::Value>> {
    region = builder_.region();
    EXPECT_THAT(builder_.CheckVisible("x", region), IsOk());
    EXPECT_THAT(builder_.Fetch("y", x),
                StatusIs(kFailedPrecondition, HasSubstr("inside a cond")));
    EXPECT_THAT(builder_.Call("relu", {x}), IsOk());
    return absl::CancelledError("no");
  };
  EXPECT_THAT(builder_.If(c, none, failing),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(builder_.region(), 0);
  EXPECT_THAT(builder_.CheckVisible("x", region),
              StatusIs(kInvalidArgument,
                       "x must be a value from here or "
                       "around, got one from inside a cond, "
                       "a while_loop or a backward"));
  ASSERT_THAT(builder_.Fetch("y", x), IsOk());
  const absl::StatusOr<ir::Program> graph = builder_.Finish();
  ASSERT_THAT(graph, IsOk());
  EXPECT_THAT(ir::Print(*graph), Not(HasSubstr("cf.if")));
}

// y = x * x with 10 * y' * y for its gradient: 90 where x is 3.
TEST_F(GraphBuilderTest, TakesAGradientOfACallersOwn) {
  const ir::Value x = Feed("x");
  const ir::Value ten = Feed("ten");
  const auto square = [&](ir::Value value) {
    const ir::Value y = *builder_.Call("multiply", {value, value});
    return builder_.CustomGradient(
        {y}, {value, ten},
        [&](absl::Span<const ir::Value> arguments)
            -> absl::StatusOr<std::vector<ir::Value>> {
          SY_ASSIGN_OR_RETURN(const ir::Value scaled,
                              builder_.Call("multiply", {arguments[0], ten}));
          SY_ASSIGN_OR_RETURN(
              const ir::Value all,
              builder_.Call("multiply", {scaled, arguments[1]}));
          return std::vector<ir::Value>{all, ir::Value()};
        });
  };
  const auto once = square(x);
  ASSERT_THAT(once, IsOk());
  const auto gradients = builder_.Gradients((*once)[0], {x, ten});
  ASSERT_THAT(gradients, IsOk());
  EXPECT_FALSE((*gradients)[1]);
  ASSERT_THAT(builder_.Fetch("y", (*once)[0]), IsOk());
  ASSERT_THAT(builder_.Fetch("dx", (*gradients)[0]), IsOk());
  const auto program = Compile();
  const auto fetches = program->Run({{"x", MakeTensor<float>({1}, {3})},
                                     {"ten", MakeTensor<float>({1}, {10})}});
  ASSERT_THAT(fetches, IsOk());
  EXPECT_THAT(ToVector<float>((*fetches)[0].tensor), ElementsAre(9));
  EXPECT_THAT(ToVector<float>((*fetches)[1].tensor), ElementsAre(90));
}

TEST_F(GraphBuilderTest, RefusesGradientsOfOtherTypes) {
  const ir::Value x = Feed("x", {2});
  const ir::Value y = Feed("y", {3});
  const auto rule = [&](absl::Span<const ir::Value>) {
    return std::vector<ir::Value>{y};
  };
  EXPECT_THAT(builder_.CustomGradient({x}, {x}, rule),
              StatusIs(kInvalidArgument,
                       HasSubstr("gradient 0 must be tensor<float32[2]>, got "
                                 "tensor<float32[3]>")));
  EXPECT_THAT(builder_.CustomGradient({x}, {x, x}, rule),
              StatusIs(kInvalidArgument, HasSubstr("gradients must be 2")));
}

TEST_F(GraphBuilderTest, RefusesNamesThatAreTaken) {
  const ir::Value x = Feed("x");
  const ir::Value w = *builder_.AddState("w", DataType::kFloat32, {1});
  EXPECT_THAT(builder_.AddFeed("x", DataType::kFloat32, {1}),
              StatusIs(kInvalidArgument,
                       "feed: name must be one that is not taken, got x"));
  EXPECT_THAT(builder_.AddState("w", DataType::kFloat32, {1}),
              StatusIs(kInvalidArgument, HasSubstr("got w")));
  ASSERT_THAT(builder_.Fetch("y", x), IsOk());
  EXPECT_THAT(builder_.Fetch("y", w),
              StatusIs(kInvalidArgument,
                       "fetch: name must be one that is not taken, got y"));
  EXPECT_THAT(
      builder_.Update("x", w),
      StatusIs(kInvalidArgument, "update: name must be a state's, got x"));
  const ir::Value wide = Feed("wide", {2});
  EXPECT_THAT(builder_.Update("w", wide),
              StatusIs(kInvalidArgument,
                       "update: w must be tensor<float32[1]>, got "
                       "tensor<float32[2]>"));
  // The refused call left nothing behind.
  ASSERT_THAT(builder_.Update("w", x), IsOk());
  EXPECT_THAT(builder_.Update("w", x),
              StatusIs(kInvalidArgument, HasSubstr("update: name")));
}

TEST_F(GraphBuilderTest, NamesWhatItCannotCall) {
  const ir::Value x = Feed("x");
  EXPECT_THAT(builder_.Call("softmx", {x}),
              StatusIs(absl::StatusCode::kNotFound,
                       "softmx: the operator is not registered with the "
                       "context"));
  EXPECT_THAT(
      builder_.Call("add", {x}),
      StatusIs(kInvalidArgument, "add: y must be given, got no tensor"));
  EXPECT_THAT(builder_.Call("relu", {x, x}),
              StatusIs(kInvalidArgument, HasSubstr("relu: inputs must be")));
}

TEST_F(GraphBuilderTest, IsFinishedOnce) {
  const ir::Value x = Feed("x");
  ASSERT_THAT(builder_.Fetch("y", x), IsOk());
  const absl::StatusOr<ir::Program> graph = builder_.Finish();
  ASSERT_THAT(graph, IsOk());
  EXPECT_THAT(builder_.Finish(),
              StatusIs(kFailedPrecondition, "finish: the graph is finished"));
  EXPECT_THAT(builder_.Call("relu", {x}), StatusIs(kFailedPrecondition));
  EXPECT_THAT(builder_.AddFeed("z", DataType::kFloat32, {1}),
              StatusIs(kFailedPrecondition));
  EXPECT_THAT(builder_.Constant(MakeTensor<float>({1}, {1})),
              StatusIs(kFailedPrecondition));
  EXPECT_THAT(builder_.Gradients(x, {x}), StatusIs(kFailedPrecondition));
}

}  // namespace
}  // namespace switchyard::static_graph
