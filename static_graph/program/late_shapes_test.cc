// SPDX-License-Identifier: Apache-2.0
// Programs of which shapes depend on elements: fed, computed, or found by a
// kernel.
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/program/testing/program_places.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LateShapesTest : public testing::ProgramTest {};
INSTANTIATE_ON_PLACES(LateShapesTest);

TEST_P(LateShapesTest, AttributesComeFromFeeds) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>, %n: feed "n" tensor<int64[2]>):
    %0 = op.sized(%x, %n) {operand_segments = int32[1, 1]} : tensor<float32[?, ?]>
    %1 = op.add(%0, %0) : tensor<float32[?, ?]>
    builtin.return("out" = %1)
}
)");
  const DenseTensor x = Make<float>({2}, {1, 2});
  for (int run = 0; run < 2; ++run) {
    const auto wide =
        program->Run({{"x", x}, {"n", Make<int64_t>({2}, {1, 3})}});
    EXPECT_THAT(Floats(wide), ElementsAre(2, 4, 2));
    EXPECT_EQ((*wide)[0].tensor.shape(), Shape({1, 3}));
    EXPECT_THAT(
        Floats(program->Run({{"x", x}, {"n", Make<int64_t>({2}, {2, 2})}})),
        ElementsAre(2, 4, 2, 4));
  }
  EXPECT_THAT(
      program->Run({{"x", x}, {"n", Make<int64_t>({2}, {1, -3})}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("sized: shape must be without negative extents")));
}

TEST_P(LateShapesTest, ForgetsSegmentsThatWereUsedLongestAgo) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>, %n: feed "n" tensor<int64[2]>):
    %0 = op.add(%n, %n) : tensor<int64[2]>
    %1 = op.sized(%x, %0) {operand_segments = int32[1, 1]} : tensor<float32[?, ?]>
    builtin.return("out" = %1)
}
)");
  const DenseTensor x = Make<float>({2}, {1, 2});
  const auto run = [&](int64_t extent) {
    const DenseTensor n = Make<int64_t>({2}, {1, extent});
    const auto fetches = program->Run({{"x", x}, {"n", n}});
    ASSERT_THAT(fetches, IsOk());
    EXPECT_EQ((*fetches)[0].tensor.shape(), Shape({2, 2 * extent}));
  };
  for (int64_t extent = 1; extent <= 300; ++extent) run(extent);
  // Those of segments, and that the whole program has none.
  EXPECT_LE(program->counts().kept, 257);
  EXPECT_GT(program->counts().kept, 200);
  const int64_t made = program->counts().specializations;
  EXPECT_GE(made, 300);
  run(300);
  EXPECT_EQ(program->counts().specializations, made);
  run(1);
  EXPECT_EQ(program->counts().specializations, made + 1);
}

TEST_P(LateShapesTest, AttributesComeFromShapesAndSums) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>, %n: feed "n" tensor<int64[1]>):
    %0 = op.extents(%x) : tensor<int64[1]>
    %1 = op.add(%0, %n) : tensor<int64[1]>
    %2 = op.sized(%x, %1) {operand_segments = int32[1, 1]} : tensor<float32[?]>
    %3 = op.relu(%2) : tensor<float32[?]>
    builtin.return("out" = %3)
}
)");
  const DenseTensor x = Make<float>({2}, {-1, 2});
  EXPECT_THAT(Floats(program->Run({{"x", x}, {"n", Make<int64_t>({1}, {2})}})),
              ElementsAre(0, 2, 0, 2));
  EXPECT_THAT(Floats(program->Run({{"x", x}, {"n", Make<int64_t>({1}, {-1})}})),
              ElementsAre(0));
}

TEST_P(LateShapesTest, KernelsTellShapes) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.positive(%x) : tensor<float32[?]>
    %1 = op.multiply(%x, %x) : tensor<float32[?]>
    %2 = op.add(%0, %0) : tensor<float32[?]>
    %3 = op.extents(%2) : tensor<int64[1]>
    %4 = op.sized(%1, %3) {operand_segments = int32[1, 1]} : tensor<float32[?]>
    builtin.return("found" = %0, "squares" = %1, "twice" = %2, "sized" = %4)
}
)");
  for (int run = 0; run < 2; ++run) {
    const auto some = program->Run({{"x", Make<float>({3}, {1, -2, 3})}});
    EXPECT_THAT(Floats(some, 0), ElementsAre(1, 3));
    EXPECT_THAT(Floats(some, 1), ElementsAre(1, 4, 9));
    EXPECT_THAT(Floats(some, 2), ElementsAre(2, 6));
    EXPECT_THAT(Floats(some, 3), ElementsAre(1, 4));
    const auto none = program->Run({{"x", Make<float>({2}, {-1, -2})}});
    EXPECT_THAT(Floats(none, 2), IsEmpty());
    EXPECT_THAT(Floats(none, 3), IsEmpty());
  }
}

TEST_P(LateShapesTest, FetchesHaveMemoryOfTheirOwn) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.positive(%x) : tensor<float32[?]>
    builtin.return("a" = %0, "b" = %0, "x" = %x)
}
)");
  const DenseTensor x = Make<float>({2}, {1, 2});
  const auto fetches = program->Run({{"x", x}});
  ASSERT_THAT(fetches, IsOk());
  EXPECT_NE((*fetches)[0].tensor.raw_data(), (*fetches)[1].tensor.raw_data());
  EXPECT_NE((*fetches)[2].tensor.raw_data(), x.raw_data());
  EXPECT_THAT(Floats(fetches, 1), ElementsAre(1, 2));
}

// A later segment that is refused leaves the states as they were.
TEST_P(LateShapesTest, StatesAreWrittenLast) {
  const auto program = Compile(R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[?]>,
      %r: feed "r" tensor<float32[1]>,
      %w: state "w" tensor<float32[2]>):
    %0 = op.positive(%x) : tensor<float32[?]>
    %1 = op.add(%w, %w) : tensor<float32[2]>
    %2 = op.add(%0, %x) : tensor<float32[?]>
    %3 = op.sgd_(%w, %r, %1) : tensor<float32[2]>
    builtin.return("out" = %2) state("w" = %3)
}
)");
  State state;
  const DenseTensor w = Make<float>({2}, {1, 2});
  ASSERT_THAT(state.Set("w", w), IsOk());
  const DenseTensor rate = Make<float>({1}, {0.5});
  EXPECT_THAT(
      program->Run({{"x", Make<float>({2}, {1, -1})}, {"r", rate}}, &state),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("add: y")));
  EXPECT_THAT(Floats(w), ElementsAre(1, 2));
  EXPECT_THAT(Floats(program->Run(
                  {{"x", Make<float>({2}, {1, 1})}, {"r", rate}}, &state)),
              ElementsAre(2, 2));
  EXPECT_THAT(Floats(w), ElementsAre(0, 0));
}

}  // namespace
}  // namespace switchyard::static_graph
