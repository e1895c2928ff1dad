// SPDX-License-Identifier: Apache-2.0
// Runs of one program at one size after another (Resizer): the bits and the
// errors of a program that met no other size, and which runs made no
// specialization.
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/program/testing/program_places.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NewSizesTest : public testing::ProgramTest {
 protected:
  DenseTensor Filled(const Shape& shape) {
    std::vector<float> numbers;
    for (int64_t i = 0; i < shape.numel(); ++i) {
      numbers.push_back(std::uniform_real_distribution<float>(-1, 1)(random_));
    }
    return On(MakeTensor<float>(shape, absl::MakeConstSpan(numbers)));
  }

  // Checks that a run of `program` gives what one of a fresh program does.
  void ExpectFresh(std::string_view text, const Executable& program,
                   const Shape& shape) {
    const DenseTensor x = Filled(shape);
    const auto got = program.Run({{"x", x}});
    const auto want = Compile(text)->Run({{"x", x}});
    ASSERT_EQ(got.status(), want.status()) << ToString(shape);
    if (!want.ok()) return;
    for (size_t i = 0; i < want->size(); ++i) {
      EXPECT_EQ((*got)[i].tensor.shape(), (*want)[i].tensor.shape());
      EXPECT_EQ(Floats(got, i), Floats(want, i)) << ToString(shape);
    }
  }

  // Runs of other places than the host have a specialization for each size.
  bool Resizes() const { return GetParam().place == Place::Cpu(); }

  std::mt19937 random_{7};
};
INSTANTIATE_ON_PLACES(NewSizesTest);

TEST_P(NewSizesTest, ExtentsChangeInOneSpecialization) {
  const std::string_view text = R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, ?]>):
    %0 = op.relu(%x) : tensor<float32[?, ?]>
    %1 = op.transpose(%0) : tensor<float32[?, ?]>
    %2 = op.relu(%1) : tensor<float32[?, ?]>
    %3 = op.add(%2, %2) : tensor<float32[?, ?]>
    %4 = op.multiply(%3, %2) : tensor<float32[?, ?]>
    builtin.return("a" = %4, "b" = %1)
}
)";
  const auto program = Compile(text);
  std::uniform_int_distribution<int64_t> extent(2, 40);
  for (int i = 0; i < 30; ++i) {
    ExpectFresh(text, *program, {extent(random_), extent(random_)});
  }
  if (!Resizes()) return;
  EXPECT_GE(program->counts().resized, 20);
  EXPECT_LE(program->counts().specializations, 2 + 8);  // Some came again.
}

TEST_P(NewSizesTest, OtherDecisionsMakeAnotherSpecialization) {
  // A row needs no transform, and tiered has another kernel for larger ones.
  for (const char* op : {"relu", "tiered", "gapless"}) {
    const std::string text = absl::StrCat(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, ?]>):
    %0 = op.transpose(%x) : tensor<float32[?, ?]>
    %1 = op.)",
                                          op, R"((%0) : tensor<float32[?, ?]>
    %2 = op.relu(%1) : tensor<float32[?, ?]>
    builtin.return("out" = %2)
}
)");
    const auto program = Compile(text);
    std::uniform_int_distribution<int64_t> extent(0, 6);
    for (int i = 0; i < 30; ++i) {
      ExpectFresh(text, *program, {extent(random_), extent(random_)});
    }
  }
}

TEST_P(NewSizesTest, ErrorsOfShapesAreThoseOfAFreshProgram) {
  const std::string_view text = R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, ?]>):
    %0 = op.transpose(%x) : tensor<float32[?, ?]>
    %1 = op.add(%x, %0) : tensor<float32[?, ?]>
    builtin.return("out" = %1)
}
)";
  const auto program = Compile(text);
  for (const Shape& shape :
       {Shape{2, 2}, Shape{3, 3}, Shape{2, 3}, Shape{4, 4}, Shape{5, 5},
        Shape{5, 4}, Shape{6, 6}, Shape{7, 7}, Shape{0, 0}, Shape{8, 8}}) {
    ExpectFresh(text, *program, shape);
  }
  EXPECT_THAT(program->Run({{"x", Filled({2, 3})}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("add")));
}

TEST_P(NewSizesTest, SegmentsFollowWhatKernelsFind) {
  const std::string_view text = R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.positive(%x) : tensor<float32[?]>
    %1 = op.add(%0, %0) : tensor<float32[?]>
    %2 = op.relu(%1) : tensor<float32[?]>
    %3 = op.multiply(%2, %0) : tensor<float32[?]>
    builtin.return("found" = %0, "out" = %3)
}
)";
  const auto program = Compile(text);
  std::uniform_int_distribution<int64_t> extent(0, 60);
  for (int i = 0; i < 40; ++i) {
    ExpectFresh(text, *program, {extent(random_)});
  }
  if (!Resizes()) return;
  EXPECT_GE(program->counts().resized, 10);
}

TEST_P(NewSizesTest, ResultsOfEarlierSizesStay) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.relu(%x) : tensor<float32[?]>
    %1 = op.add(%0, %0) : tensor<float32[?]>
    builtin.return("out" = %1)
}
)");
  const auto run = [&](std::initializer_list<float> numbers) {
    const Shape shape = {static_cast<int64_t>(numbers.size())};
    return program->Run({{"x", Make<float>(shape, numbers)}});
  };
  const auto first = run({1});
  const auto second = run({1, 2});
  const auto third = run({1, 2, 3});
  const auto fourth = run({5, 6, 7, 8});
  EXPECT_THAT(Floats(first), ElementsAre(2));
  EXPECT_THAT(Floats(second), ElementsAre(2, 4));
  EXPECT_THAT(Floats(third), ElementsAre(2, 4, 6));
  EXPECT_THAT(Floats(fourth), ElementsAre(10, 12, 14, 16));
}

}  // namespace
}  // namespace switchyard::static_graph
