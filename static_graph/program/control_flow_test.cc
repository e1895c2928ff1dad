// SPDX-License-Identifier: Apache-2.0
// Branches and loops of compiled programs.
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/program/testing/program_places.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;

class ControlFlowTest : public testing::ProgramTest {};
INSTANTIATE_ON_PLACES(ControlFlowTest);

TEST_P(ControlFlowTest, RunsBranches) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>, %c: feed "c" tensor<bool[]>):
    %0 = cf.if(%c) : tensor<float32[?]> region {
      %1 = op.add(%x, %x) : tensor<float32[?]>
      cf.yield(%1)
    } region {
      cf.yield(%x)
    }
    %2 = op.relu(%0) : tensor<float32[?]>
    builtin.return("out" = %2)
}
)");
  const DenseTensor x = Make<float>({2}, {1, -2});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Floats(program->Run(
                    {{"x", x}, {"c", On(MakeScalarTensor<bool>(true))}})),
                ElementsAre(2, 0));
    EXPECT_THAT(Floats(program->Run(
                    {{"x", x}, {"c", On(MakeScalarTensor<bool>(false))}})),
                ElementsAre(1, 0));
  }
}

TEST_P(ControlFlowTest, RunsLoops) {
  // Fibonacci: two values that change places, as long as a < limit.
  const auto program = Compile(R"(program @p {
  ^entry(%limit: feed "limit" tensor<float32[1]>):
    %0 = builtin.constant() {value = dense<float32[1]>[1.0]} : tensor<float32[1]>
    %1, %2 = cf.while(%0, %0) : tensor<float32[1]>, tensor<float32[1]> region {
      ^(%a: tensor<float32[1]>, %b: tensor<float32[1]>):
      %3 = op.less_than(%a, %limit) : tensor<bool[1]>
      cf.condition(%3)
    } region {
      ^(%c: tensor<float32[1]>, %d: tensor<float32[1]>):
      %4 = op.add(%c, %d) : tensor<float32[1]>
      cf.yield(%d, %4)
    }
    builtin.return("a" = %1, "b" = %2)
}
)");
  const auto fetches = program->Run({{"limit", Make<float>({1}, {20})}});
  EXPECT_THAT(Floats(fetches, 0), ElementsAre(21));
  EXPECT_THAT(Floats(fetches, 1), ElementsAre(34));
  EXPECT_THAT(Floats(program->Run({{"limit", Make<float>({1}, {0})}})),
              ElementsAre(1));
}

TEST_P(ControlFlowTest, EndsALoopWhenTheCheckFails) {
  const auto program = Compile(R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[1]>,
      %c: feed "c" tensor<bool[]>,
      %s: state "s" tensor<float32[1]>):
    %0 = op.add(%s, %x) : tensor<float32[1]>
    %1 = cf.while(%0) : tensor<float32[1]> region {
      ^(%a: tensor<float32[1]>):
      cf.condition(%c)
    } region {
      ^(%b: tensor<float32[1]>):
      %2 = op.add(%b, %x) : tensor<float32[1]>
      cf.yield(%2)
    }
    builtin.return("out" = %1) state("s" = %1)
}
)");
  const DenseTensor x = Make<float>({1}, {1});
  State state;
  ASSERT_THAT(state.Set("s", Make<float>({1}, {5})), IsOk());
  int calls = 0;
  RunOptions options;
  options.check = [&calls]() -> absl::Status {
    if (++calls < 4) return absl::OkStatus();
    return absl::CancelledError("enough");
  };
  EXPECT_THAT(program->Run({{"x", x}, {"c", On(MakeScalarTensor<bool>(true))}},
                           &state, options),
              StatusIs(absl::StatusCode::kCancelled, "p: cf.while: enough"));
  EXPECT_EQ(calls, 4);
  EXPECT_THAT(Floats(*state.Find("s")), ElementsAre(5));
  EXPECT_THAT(
      Floats(program->Run({{"x", x}, {"c", On(MakeScalarTensor<bool>(false))}},
                          &state)),
      ElementsAre(6));
}

TEST_P(ControlFlowTest, TakesBranchesOfDifferentShape) {
  const auto program = Compile(R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[?]>,
      %y: feed "y" tensor<float32[?]>,
      %c: feed "c" tensor<bool[]>):
    %0 = cf.if(%c) : tensor<float32[?]> region {
      cf.yield(%x)
    } region {
      cf.yield(%y)
    }
    %1 = op.add(%0, %0) : tensor<float32[?]>
    builtin.return("chosen" = %0, "twice" = %1)
}
)");
  const DenseTensor x = Make<float>({1}, {1});
  const DenseTensor y = Make<float>({2}, {1, 2});
  for (int run = 0; run < 2; ++run) {
    const auto other = program->Run(
        {{"x", x}, {"y", y}, {"c", On(MakeScalarTensor<bool>(false))}});
    ASSERT_THAT(other, IsOk());
    EXPECT_THAT(Floats(other, 0), ElementsAre(1, 2));
    EXPECT_THAT(Floats(other, 1), ElementsAre(2, 4));
    // Nobody else's memory.
    EXPECT_NE((*other)[0].tensor.buffer().get(), y.buffer().get());
  }
  EXPECT_THAT(
      Floats(program->Run(
          {{"x", x}, {"y", y}, {"c", On(MakeScalarTensor<bool>(true))}})),
      ElementsAre(1));
}

// Extents that the program leaves unknown are looked at before an element is.
TEST_P(ControlFlowTest, RefusesConditionsOfOtherThanOneElement) {
  const auto branch = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1]>, %c: feed "c" tensor<bool[?]>):
    %0 = cf.if(%c) : tensor<float32[1]> region {
      cf.yield(%x)
    } region {
      %1 = op.add(%x, %x) : tensor<float32[1]>
      cf.yield(%1)
    }
    builtin.return("out" = %0)
}
)");
  const auto loop = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1]>, %c: feed "c" tensor<bool[?]>):
    %0 = cf.while(%x) : tensor<float32[1]> region {
      ^(%a: tensor<float32[1]>):
      cf.condition(%c)
    } region {
      ^(%b: tensor<float32[1]>):
      cf.yield(%b)
    }
    builtin.return("out" = %0)
}
)");
  const DenseTensor x = Make<float>({1}, {3});
  const DenseTensor none = On(EmptyTensor(DataType::kBool, {0}));
  EXPECT_THAT(branch->Run({{"x", x}, {"c", none}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "p: cf.if: condition must be of one element, got "
                       "bool[0]"));
  EXPECT_THAT(loop->Run({{"x", x}, {"c", none}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "p: cf.while: condition must be of one element, got "
                       "bool[0]"));
  EXPECT_THAT(
      branch->Run({{"x", x}, {"c", On(EmptyTensor(DataType::kBool, {2}))}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "p: cf.if: condition must be of one element, got bool[2]"));
  const DenseTensor no = Make<bool>({1}, {false});
  EXPECT_THAT(Floats(branch->Run({{"x", x}, {"c", no}})), ElementsAre(6));
  EXPECT_THAT(Floats(loop->Run({{"x", x}, {"c", no}})), ElementsAre(3));
}

}  // namespace
}  // namespace switchyard::static_graph
