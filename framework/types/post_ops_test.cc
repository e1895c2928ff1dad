// SPDX-License-Identifier: Apache-2.0
#include "framework/types/post_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "framework/testing/matchers.h"

namespace switchyard {
namespace {

using ::testing::HasSubstr;

PostOps Parsed(std::string_view text) {
  const absl::StatusOr<PostOps> ops = ParsePostOps("post_ops", text);
  EXPECT_THAT(ops, IsOk()) << text;
  return ops.ok() ? *ops : PostOps();
}

TEST(PostOpsTest, OneListHasOneTextAndOneWord) {
  const struct {
    const char* text;
    const char* canonical;
  } cases[] = {
      {"", "[]"},
      {"  ", "[]"},
      {"[]", "[]"},
      {"relu", "[relu]"},
      {" [ relu ,relu6 ] ", "[relu, relu6]"},
      {"leaky_relu(0.1)", "[leaky_relu(0.1)]"},
      {"[leaky_relu(1e-1), hard_sigmoid(0.2,0.5)]",
       "[leaky_relu(0.1), hard_sigmoid(0.2, 0.5)]"},
      {"clip(-inf, 6)", "[clip(-inf, 6.0)]"},
      {"clip(nan, -nan)", "[clip(nan, nan)]"},
      {"leaky_relu(-0)", "[leaky_relu(-0.0)]"},
      {"swish(1e-45)", "[swish(1e-45)]"},
  };
  for (const auto& c : cases) {
    const PostOps ops = Parsed(c.text);
    EXPECT_EQ(ops.text(), c.canonical);
    EXPECT_EQ(Parsed(ops.text()).word(), ops.word()) << c.text;
    EXPECT_EQ(PostOps::OfWord(ops.word()), ops);
  }
  EXPECT_NE(Parsed("leaky_relu(0)"), Parsed("leaky_relu(-0.0)"));
  EXPECT_NE(Parsed("[relu, tanh]"), Parsed("[tanh, relu]"));
  EXPECT_EQ(Parsed("[]"), PostOps());
}

TEST(PostOpsTest, KeepsTheStepsInOrder) {
  const auto steps = Parsed("[clip(-1, 2.5), tanh, swish(0.5)]").steps();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].kind, PostOpKind::kClip);
  EXPECT_EQ(steps[0].alpha, -1.0f);
  EXPECT_EQ(steps[0].beta, 2.5f);
  EXPECT_EQ(steps[1].kind, PostOpKind::kTanh);
  EXPECT_EQ(steps[2].alpha, 0.5f);
  EXPECT_EQ(Parsed("tanh").only().kind, PostOpKind::kTanh);
  EXPECT_EQ(PostOps().only().kind, PostOpKind::kNone);
  EXPECT_TRUE(PostOps().steps().empty());
}

TEST(PostOpsTest, NumbersThatNothingReadsAreLeftOut) {
  const PostOp relu[] = {{PostOpKind::kRelu, 0.5f, 7.0f}};
  EXPECT_EQ(*PostOps::Make("post_ops", relu), Parsed("relu"));
  const PostOp leaky[] = {{PostOpKind::kNone, 1.0f, 1.0f},
                          {PostOpKind::kLeakyRelu, 0.5f, 7.0f}};
  EXPECT_EQ(*PostOps::Make("post_ops", leaky), Parsed("leaky_relu(0.5)"));
}

TEST(PostOpsTest, RefusesOtherTexts) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"softmax",
       "gate must be a list of relu, relu6, leaky_relu, sigmoid, tanh, "
       "hard_swish, hard_sigmoid, swish, clip, gelu or gelu_tanh, got "
       "\"softmax\""},
      {"[relu, ]", "got \"\""},
      {"[,relu]", "got \"\""},
      {"relu(1)", "gate must be relu with 0 numbers, got 1"},
      {"leaky_relu", "gate must be leaky_relu with 1 number, got 0"},
      {"clip(1, 2, 3)", "gate must be clip with 2 numbers, got 3"},
      {"leaky_relu()", "a list such as"},
      {"leaky_relu(x)", "a list such as"},
      {"leaky_relu(1e99)", "a list such as"},
      {"leaky_relu(0.1", "got \"leaky_relu(0.1\""},
      {"[relu", "got \"[relu\""},
      {"relu]", "got \"relu]\""},
      {"relu, relu", "got \"relu, relu\""},
      {"[relu] tanh", "got \"[relu] tanh\""},
      {"[relu,relu,relu,relu,relu,relu,relu,relu,relu]",
       "gate must be of at most 8 functions, got 9"},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<PostOps> ops = ParsePostOps("gate", c.text);
    ASSERT_FALSE(ops.ok()) << c.text;
    EXPECT_THAT(std::string(ops.status().message()), HasSubstr(c.error));
  }
}

TEST(PostOpsTest, KindsHaveNamesAndSets) {
  EXPECT_EQ(FindPostOpKind("hard_swish"), PostOpKind::kHardSwish);
  EXPECT_EQ(FindPostOpKind(""), PostOpKind::kNone);
  EXPECT_EQ(FindPostOpKind("Relu"), std::nullopt);
  constexpr PostOpKinds two = {PostOpKind::kRelu, PostOpKind::kTanh};
  static_assert(two.contains(PostOpKind::kTanh));
  static_assert(!two.contains(PostOpKind::kGelu));
  EXPECT_EQ(ToString(two), "relu or tanh");
  EXPECT_EQ(ToString(PostOpKinds::OfBits(two.bits())), "relu or tanh");
  EXPECT_EQ(ToString(PostOpKinds({PostOpKind::kGelu})), "gelu");
}

TEST(PostOpsTest, ThreadsThatMakeOneListGetOne) {
  const void* words[4] = {};
  std::vector<std::thread> threads;
  for (const void*& word : words) {
    threads.emplace_back([&word] {
      for (int i = 0; i < 100; ++i) {
        word = ParsePostOps("post_ops", "leaky_relu(0.01625)")->word();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<const void*>(words, words + 4).size(), 1u);
}

}  // namespace
}  // namespace switchyard
