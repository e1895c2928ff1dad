// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::ToyContext;
using testing::ToyKernels;

class ExecutableTest : public ::testing::Test {
 protected:
  // Compiles the program of a text; the test fails if it can't be.
  std::shared_ptr<const Executable> Compile(
      std::string_view text, const CompileOptions& options = {}) {
    const absl::StatusOr<std::shared_ptr<const Executable>> program =
        TryCompile(text, options);
    EXPECT_THAT(program, IsOk());
    return program.ok() ? *program : nullptr;
  }

  absl::StatusOr<std::shared_ptr<const Executable>> TryCompile(
      std::string_view text, const CompileOptions& options = {}) {
    SY_ASSIGN_OR_RETURN(const ir::Program graph,
                        ir::Parse(context_.get(), text));
    return Executable::Compile(graph, ToyKernels(), options);
  }

  std::unique_ptr<ir::Context> context_ = ToyContext();
};

std::vector<float> Floats(const absl::StatusOr<std::vector<Fetch>>& fetches,
                          size_t i = 0) {
  EXPECT_THAT(fetches, IsOk());
  return fetches.ok() ? ToVector<float>((*fetches)[i].tensor)
                      : std::vector<float>();
}

constexpr char kTwoFeeds[] = R"(program @sum {
  ^entry(
      %x: feed "x" tensor<float32[?]>,
      %y: feed "y" tensor<float32[?]>):
    %0 = op.add(%x, %y) : tensor<float32[?]>
    %1 = op.relu(%0) : tensor<float32[?]>
    builtin.return("out" = %1, "sum" = %0)
}
)";

TEST_F(ExecutableTest, RunsByName) {
  const auto program = Compile(kTwoFeeds);
  const auto fetches = program->Run({{"y", MakeTensor<float>({3}, {-5, 1, 1})},
                                     {"x", MakeTensor<float>({3}, {1, 2, 3})}});
  EXPECT_THAT(Floats(fetches), ElementsAre(0, 3, 4));
  EXPECT_THAT(Floats(fetches, 1), ElementsAre(-4, 3, 4));
  EXPECT_EQ((*fetches)[0].name, "out");
}

TEST_F(ExecutableTest, TakesDenormalNumbersForZeroWhereAskedTo) {
  const auto program = Compile(kTwoFeeds);
  const float tiny = 1e-40f;
  const std::vector<Feed> feeds = {{"x", MakeTensor<float>({2}, {tiny, 1})},
                                   {"y", MakeTensor<float>({2}, {0, 1})}};
  EXPECT_THAT(Floats(program->Run(feeds), 1), ElementsAre(tiny, 2));
  CompileOptions options;
  options.lowering.relaxed.denormals = Denormals::kFlush;
  const auto relaxed = Compile(kTwoFeeds, options);
  EXPECT_THAT(Floats(relaxed->Run(feeds), 1), ElementsAre(0, 2));
  EXPECT_THAT(relaxed->Explain({Shape({2}), Shape({2})}),
              IsOkAndHolds(StartsWith("relaxed: denormals=flush\n")));
  // The thread itself goes on as before.
  volatile float half = tiny;
  half = half / 2;
  EXPECT_GT(half, 0);
}

TEST_F(ExecutableTest, NamesWrongFeeds) {
  const auto program = Compile(kTwoFeeds);
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  EXPECT_THAT(program->Run({{"x", x}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "sum: feed y must be given, got no tensor"));
  EXPECT_THAT(program->Run({{"x", x}, {"z", x}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "sum: feed must be one of x, y, got z"));
  EXPECT_THAT(program->Run({{"x", x}, {"x", x}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "sum: feed x must be given once, got two tensors"));
  const auto wrong_dtype =
      program->Run({{"x", x}, {"y", MakeTensor<double>({2}, {1, 2})}});
  EXPECT_TRUE(IsTypeError(wrong_dtype.status()));
  EXPECT_THAT(wrong_dtype,
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "sum: feed y must be float32[?], got float64[2]"));
  EXPECT_THAT(
      program->Run({{"x", x}, {"y", MakeTensor<float>({1, 2}, {1, 2})}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "sum: feed y must be float32[?], got float32[1, 2]"));
  EXPECT_THAT(program->Run({{"x", x}, {"y", DenseTensor()}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("got a tensor without memory")));
  // Found by InferMeta once the shapes are known.
  EXPECT_THAT(
      program->Run({{"x", x}, {"y", MakeTensor<float>({3}, {1, 2, 3})}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "sum: add: y must be [2], got [3]"));
}

TEST_F(ExecutableTest, ChecksThatSymbolsAgree) {
  const auto program = Compile(R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[s0]>,
      %y: feed "y" tensor<float32[s0]>):
    %0 = op.add(%x, %y) : tensor<float32[s0]>
    builtin.return("out" = %0)
}
)");
  EXPECT_THAT(program->Run({{"x", MakeTensor<float>({1}, {1})},
                            {"y", MakeTensor<float>({2}, {1, 2})}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "p: feed y must be of extent 1 on axis 0, as s0 "
                       "elsewhere, got 2"));
}

TEST_F(ExecutableTest, ForgetsSignaturesThatWereUsedLongestAgo) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.relu(%x) : tensor<float32[?]>
    builtin.return("out" = %0)
}
)");
  const auto run = [&](int64_t extent) {
    const DenseTensor x =
        MakeTensor<float>({extent}, std::vector<float>(extent, 3));
    EXPECT_THAT(
        Floats(program->Run({{"x", x}})),
        ::testing::AllOf(::testing::SizeIs(extent), ::testing::Each(3)));
  };
  constexpr int64_t kKept = 64;
  constexpr int64_t kShapes = kKept + 10;
  for (int64_t extent = 1; extent <= kShapes; ++extent) run(extent);
  // The first, and one that takes the other sizes in turn.
  EXPECT_EQ(program->counts().specializations, 2);
  EXPECT_EQ(program->counts().resized, kShapes - 2);
  EXPECT_EQ(program->counts().frames, 2);
  EXPECT_EQ(program->counts().kept, 1);  // Besides what the next run gets.
  // Sizes that come again are kept: the last of them where it is.
  for (int64_t extent = kShapes - kKept + 1; extent <= kShapes; ++extent) {
    run(extent);
    run(extent);
  }
  EXPECT_EQ(program->counts().specializations, 2 + kKept - 1);
  EXPECT_EQ(program->counts().kept, kKept);
  const int64_t frames = program->counts().frames;
  for (int64_t extent = kShapes - kKept + 1; extent <= kShapes; ++extent) {
    run(extent);
  }
  EXPECT_EQ(program->counts().specializations, 2 + kKept - 1);
  EXPECT_EQ(program->counts().frames, frames);
  run(1);
  run(kShapes);
  EXPECT_EQ(program->counts().specializations, 2 + kKept);
  EXPECT_EQ(program->counts().kept, kKept + 1);
}

TEST_F(ExecutableTest, SpecializesOncePerShapeSignature) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.tiered(%x) : tensor<float32[?]>
    %1 = op.relu(%0) : tensor<float32[?]>
    builtin.return("out" = %1)
}
)");
  EXPECT_THAT(program->lowered_text(), HasSubstr("candidates = "));
  const DenseTensor small = MakeTensor<float>({2}, {1, 2});
  const DenseTensor large = MakeTensor<float>({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(Floats(program->Run({{"x", small}})), ElementsAre(2, 4));
    EXPECT_THAT(Floats(program->Run({{"x", large}})),
                ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
  }
  EXPECT_EQ(program->counts().specializations, 2);
  EXPECT_EQ(program->counts().specializing.resolutions, 2);
  EXPECT_EQ(program->counts().specializing.infer_metas, 4);
  EXPECT_EQ(program->counts().frames, 2);
  EXPECT_THAT(*program->Transcript({Shape{2}}),
              ElementsAre(HasSubstr("tiered float32[2] -> cpu"),
                          HasSubstr("relu float32[2] -> cpu")));
  EXPECT_THAT(*program->Transcript({Shape{8}}),
              ElementsAre(HasSubstr("tiered float32[8] -> onednn"),
                          HasSubstr("relu float32[8] -> cpu")));
}

TEST_F(ExecutableTest, TransformsStridedInputs) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, ?]>):
    %0 = op.transpose(%x) : tensor<float32[?, ?]>
    %1 = op.relu(%0) : tensor<float32[?, ?]>
    %2 = op.transpose(%1) : tensor<float32[?, ?]>
    builtin.return("out" = %1, "back" = %2)
}
)");
  EXPECT_THAT(program->lowered_text(), HasSubstr("kernel.contiguous"));
  const auto fetches =
      program->Run({{"x", MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_THAT(Floats(fetches), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(Floats(fetches, 1), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT((*program->Transcript({Shape{2, 3}}))[1],
              HasSubstr("transforms: contiguous x"));
  // A single row is contiguous either way: there is nothing to transform.
  EXPECT_THAT((*program->Transcript({Shape{1, 3}}))[1],
              HasSubstr("transforms: none"));
  EXPECT_THAT(Floats(program->Run({{"x", MakeTensor<float>({1, 2}, {1, 2})}})),
              ElementsAre(1, 2));
}

// A kernel that demands a contiguous tensor is refused for a view only when the
// extents are known.
TEST_F(ExecutableTest, ExplainsWhatHangsOnStrides) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, ?]>):
    %0 = op.transpose(%x) : tensor<float32[?, ?]>
    %1 = op.gapless(%0) : tensor<float32[?, ?]>
    builtin.return("out" = %1)
}
)");
  const Shape unknown{Dim::Unknown(), Dim::Unknown()};
  EXPECT_THAT(program->Explain({unknown}),
              IsOkAndHolds(HasSubstr("undecided: x must be contiguous, got "
                                     "strides of [?, ?]")));
  EXPECT_THAT(program->Explain({Shape{2, 3}}),
              IsOkAndHolds(HasSubstr("refused: x must be contiguous, got "
                                     "strided")));
  EXPECT_THAT((*program->Transcript({Shape{2, 3}}))[1],
              HasSubstr("gapless float32[3, 2] -> cpu"));
  EXPECT_THAT((*program->Transcript({Shape{1, 3}}))[1],
              HasSubstr("gapless float32[3, 1] -> onednn"));
  EXPECT_THAT(
      Floats(program->Run({{"x", MakeTensor<float>({2, 2}, {1, 2, 3, 4})}})),
      ElementsAre(2, 6, 4, 8));
}

TEST_F(ExecutableTest, TransformsForAResolvedCandidate) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, ?]>):
    %0 = op.transpose(%x) : tensor<float32[?, ?]>
    %1 = op.tiered(%0) : tensor<float32[?, ?]>
    builtin.return("out" = %1)
}
)");
  const DenseTensor x = MakeTensor<float>(
      {2, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  EXPECT_THAT(
      Floats(program->Run({{"x", x}})),
      ElementsAre(2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30, 16, 32));
  EXPECT_THAT((*program->Transcript({Shape{2, 8}}))[1],
              HasSubstr("onednn float32 (naive_kernels.h:1) transforms: "
                        "contiguous x"));
}

TEST_F(ExecutableTest, TakesStridedFeeds) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, ?]>):
    %0 = op.relu(%x) : tensor<float32[?, ?]>
    builtin.return("out" = %0, "x" = %x)
}
)");
  const DenseTensor base = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const auto fetches = program->Run({{"x", TransposedView(base, {1, 0})}});
  EXPECT_THAT(Floats(fetches), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(Floats(fetches, 1), ElementsAre(1, 3, 2, 4));
}

TEST_F(ExecutableTest, FetchesAreTheCallersOwn) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1]>, %w: state "w" tensor<float32[1]>):
    %0 = op.relu(%x) : tensor<float32[1]>
    %1 = builtin.constant() {value = dense<float32[1]>[7.0]} : tensor<float32[1]>
    builtin.return("out" = %0, "x" = %x, "w" = %w, "c" = %1, "again" = %0)
}
)");
  const DenseTensor x = MakeTensor<float>({1}, {1});
  State state;
  const DenseTensor w = MakeTensor<float>({1}, {2});
  ASSERT_THAT(state.Set("w", w), IsOk());
  auto first = program->Run({{"x", x}}, &state);
  ASSERT_THAT(first, IsOk());
  *(*first)[0].tensor.mutable_data<float>() = -1;
  EXPECT_THAT(Floats(first, 4), ElementsAre(1));
  for (Fetch& fetch : *first) *fetch.tensor.mutable_data<float>() = -1;
  const auto second = program->Run({{"x", x}}, &state);
  EXPECT_THAT(Floats(second, 0), ElementsAre(1));
  EXPECT_THAT(Floats(second, 1), ElementsAre(1));
  EXPECT_THAT(Floats(second, 2), ElementsAre(2));
  EXPECT_THAT(Floats(second, 3), ElementsAre(7));
  EXPECT_EQ(*(*first)[0].tensor.data<float>(), -1);
}

TEST_F(ExecutableTest, CopiesKeepTheLevelsOfDetail) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    builtin.return("x" = %x)
}
)");
  DenseTensor x = MakeTensor<float>({3}, {1, 2, 3});
  x.SetLod(std::make_shared<const LoD>(LoD{{{0, 1, 3}}}));
  const auto fetches = program->Run({{"x", x}});
  ASSERT_THAT(fetches, IsOk());
  ASSERT_NE((*fetches)[0].tensor.lod(), nullptr);
  EXPECT_EQ((*fetches)[0].tensor.lod()->offsets, x.lod()->offsets);
}

TEST_F(ExecutableTest, RunsOnEmptyTensors) {
  const auto program = Compile(kTwoFeeds);
  const DenseTensor empty = EmptyTensor(DataType::kFloat32, {0});
  const auto fetches = program->Run({{"x", empty}, {"y", empty}});
  EXPECT_THAT(Floats(fetches), ElementsAre());
}

TEST_F(ExecutableTest, RunsInManyThreadsAtOnce) {
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.tiered(%x) : tensor<float32[?]>
    %1 = op.multiply(%0, %x) : tensor<float32[?]>
    %2 = op.add(%1, %0) : tensor<float32[?]>
    %3 = op.relu(%2) : tensor<float32[?]>
    builtin.return("out" = %3)
}
)");
  const auto feed = [](int thread, int run) {
    DenseTensor x = EmptyTensor(DataType::kFloat32, {1 + run % 16});
    for (int64_t i = 0; i < x.numel(); ++i) {
      x.mutable_data<float>()[i] = static_cast<float>(thread * 100 + run + i);
    }
    return x;
  };
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int run = 0; run < 200; ++run) {
        const DenseTensor x = feed(thread, run);
        const auto fetches = program->Run({{"x", x}});
        if (!fetches.ok()) {
          ++wrong;
          continue;
        }
        const float* out = (*fetches)[0].tensor.data<float>();
        for (int64_t i = 0; i < x.numel(); ++i) {
          const float v = x.data<float>()[i];
          if (out[i] != (v + v) * v + (v + v)) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  // Each of the 16 sizes once for itself and once to be kept, at most.
  EXPECT_LE(program->counts().specializations, 32);
  EXPECT_LE(program->counts().kept, 16 + 4);
}

TEST_F(ExecutableTest, NamesWhatCannotBeLowered) {
  EXPECT_THAT(TryCompile(R"(program @p {
  ^entry(%x: feed "x" tensor<float64[1]>):
    %0 = op.relu(%x) : tensor<float64[1]>
    builtin.return("out" = %0)
}
)"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("relu: x must be float32, got float64")));
}

}  // namespace
}  // namespace switchyard::static_graph
