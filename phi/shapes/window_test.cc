// SPDX-License-Identifier: Apache-2.0
#include "phi/shapes/window.h"

#include <limits>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

auto IsArgumentError(const char* text) {
  return StatusIs(absl::StatusCode::kInvalidArgument,
                  ::testing::HasSubstr(text));
}

constexpr int kOnes[] = {1, 1};
constexpr int kTwos[] = {2, 2};
constexpr int kSides[] = {1, 2, 3, 4};

TEST(WindowTest, ResolvesExplicitPadding) {
  const auto window = ResolveWindow({kTwos, kSides, "EXPLICIT", kTwos}, 1,
                                    /*input=*/10, /*kernel=*/3, "filter");
  ASSERT_THAT(window, IsOk());
  EXPECT_EQ(window->before, 3);
  EXPECT_EQ(window->after, 4);
  EXPECT_EQ(window->dilation, 2);
  EXPECT_EQ(window->output, (10 + 7 - 5) / 2 + 1);
}

TEST(WindowTest, RoundsUpWhereAsked) {
  const WindowAttrs attrs = {kTwos, kOnes, "VALID"};
  EXPECT_EQ(ResolveWindow(attrs, 0, 6, 3, "kernel_size")->output, 2);
  EXPECT_EQ(ResolveWindow(attrs, 0, 6, 3, "kernel_size", true)->output, 3);
}

// The rule of torch.nn.MaxPool2d(ceil_mode=True).
TEST(WindowTest, RoundsUpToNoWindowBehindTheInput) {
  constexpr int kThrees[] = {3, 3};
  const WindowAttrs apart = {kThrees, kOnes, "VALID"};
  EXPECT_EQ(ResolveWindow(apart, 0, 3, 1, "kernel_size", true)->output, 1);
  EXPECT_EQ(ResolveWindow(apart, 0, 3, 2, "kernel_size", true)->output, 1);
  EXPECT_EQ(ResolveWindow(apart, 0, 4, 2, "kernel_size", true)->output, 2);
  // Padding after alone is no reason for a window, padding before is.
  const WindowAttrs padded = {kTwos, kOnes, "EXPLICIT"};
  EXPECT_EQ(ResolveWindow(padded, 0, 3, 2, "kernel_size", true)->output, 2);
  EXPECT_EQ(ResolveWindow(padded, 0, 4, 2, "kernel_size", true)->output, 3);
}

TEST(WindowTest, PadsToTheSameExtent) {
  for (const int64_t input : {1, 4, 7, 8}) {
    for (const int64_t kernel : {1, 2, 3, 5}) {
      const auto window =
          ResolveWindow({kTwos, kSides, "SAME", kTwos}, 0, input, kernel, "x");
      ASSERT_THAT(window, IsOk());
      EXPECT_EQ(window->output, (input + 1) / 2);
      EXPECT_EQ(window->dilation, 1);
      EXPECT_GE(window->after, window->before);
      EXPECT_LE(window->after, window->before + 1);
    }
  }
}

TEST(WindowTest, OneWindowMayReachBeyondTheEdge) {
  const WindowAttrs attrs = {kTwos, kOnes, "VALID"};
  const auto window = ResolveWindow(attrs, 0, 1, 2, "kernel_size");
  ASSERT_THAT(window, IsOk());
  EXPECT_EQ(window->output, 1);
  EXPECT_EQ(window->before, 0);
  EXPECT_EQ(window->after, 1);
  EXPECT_THAT(ResolveWindow(attrs, 0, 1, 3, "kernel_size"),
              IsArgumentError("kernel_size must be windows within"));
}

TEST(WindowTest, RefusesPartsOfWindowsWhereOnlyWholeOnesAre) {
  constexpr int kThrees[] = {3, 3};
  const WindowAttrs attrs = {kThrees, kOnes, "WHOLE"};
  const auto window = ResolveWindow(attrs, 0, 3, 5, "kernel_size");
  ASSERT_THAT(window, IsOk());
  EXPECT_EQ(window->output, 1);
  EXPECT_EQ(window->after, 1);
  EXPECT_THAT(ResolveWindow(attrs, 0, 2, 5, "kernel_size"),
              IsArgumentError("kernel_size must be windows within the padded "
                              "input, of extent 4 along height, got 5"));
  EXPECT_THAT(ResolveWindow({kThrees, kOnes, "EXPLICIT"}, 0, 2, 5, "k"),
              IsOk());
}

TEST(WindowTest, RefusesWindowsThatDoNotFit) {
  EXPECT_THAT(ResolveWindow({kOnes, kOnes, "EXPLICIT"}, 0, 2, 5, "filter"),
              IsArgumentError("filter must be windows within"));
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(ResolveWindow({kOnes, kOnes, "EXPLICIT", kTwos}, 0, 2, huge, "f"),
              IsArgumentError("of extent 4"));
  EXPECT_THAT(ResolveWindow({kOnes, kOnes, "EXPLICIT"}, 0, huge, 1, "f"),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(WindowTest, ChecksAttributes) {
  constexpr int kNegative[] = {-1, 0};
  constexpr int kThree[] = {1, 1, 1};
  EXPECT_THAT(CheckWindowAttrs({kNegative, kOnes, "VALID"}),
              IsArgumentError("strides must be 2 numbers from 1, got [-1, 0]"));
  EXPECT_THAT(CheckWindowAttrs({kOnes, kNegative, "VALID"}),
              IsArgumentError("paddings must be 2 or 4 numbers from 0"));
  EXPECT_THAT(CheckWindowAttrs({kOnes, kThree, "VALID"}),
              IsArgumentError("paddings"));
  EXPECT_THAT(CheckWindowAttrs({kOnes, kOnes, "VALID", kThree}),
              IsArgumentError("dilations"));
  EXPECT_THAT(CheckWindowAttrs({kOnes, kOnes, "same"}),
              IsArgumentError("padding_algorithm"));
  EXPECT_THAT(CheckWindowAttrs({kOnes, kSides, "SAME", kTwos}), IsOk());
}

TEST(WindowTest, ThreeAxesHaveSixSides) {
  constexpr int kSix[] = {1, 2, 0, 0, 3, 0}, kUnit[] = {1, 1, 1};
  const WindowAttrs attrs = {kUnit, kSix, "EXPLICIT"};
  EXPECT_THAT(CheckWindowAttrs(attrs, 3), IsOk());
  EXPECT_THAT(CheckWindowAttrs({kUnit, kSides, "EXPLICIT"}, 3),
              IsArgumentError("paddings must be 3 or 6 numbers from 0"));
  const auto depth = ResolveWindow(attrs, 0, 5, 2, "filter");
  ASSERT_THAT(depth, IsOk());
  EXPECT_EQ(depth->before, 1);
  EXPECT_EQ(depth->output, 7);
  const auto width = ResolveWindow(attrs, 2, 5, 2, "filter");
  ASSERT_THAT(width, IsOk());
  EXPECT_EQ(width->before, 3);
  EXPECT_THAT(ResolveWindow({kUnit, kUnit, "VALID"}, 0, 2, 4, "filter"),
              IsArgumentError("along depth"));
}

}  // namespace
}  // namespace switchyard::phi
