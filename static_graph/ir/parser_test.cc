// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/parser.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "static_graph/ir/printer.h"
#include "static_graph/ir/testing/test_dialect.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph::ir {
namespace {

constexpr char kSmall[] = R"(program @mlp {
  ^entry(
      %x: feed "image" tensor<float32[?, 784]>,
      %w: state "fc.weight" tensor<float32[784, s0], layout aB8b, lod 16>):
    %0, %y = test.op(%x, %w) {"a b" = "t\n", axis = -1, big = 5 : int64, list = int64[1, 2], ops = post_ops[relu, clip(0.0, inf)]} : tensor<float32[?, 10]>, tensor<bool[]>
    %1 = builtin.constant() {value = dense<float32[2]>[1.0, -0.0]} : tensor<float32[2]>
    %2 = test.scope(%y) : tensor<float64[3], kind selected_rows> region {
      ^(%3: tensor<int32[0]>, %z: tensor<int8[1]>):
      test.effect(%3, %1) {value = dense<float16[2]>[0x007e0100]}
      test.yield(%z)
    } region {
      test.yield()
    }
    builtin.return("loss" = %0) state("fc.weight" = %w)
}
)";

class ParserTest : public ::testing::Test {
 protected:
  ParserTest() { RegisterTestDialect(&context_); }
  Context context_;
};

TEST_F(ParserTest, ReadsBackWhatIsPrinted) {
  const absl::StatusOr<Program> program = Parse(&context_, kSmall);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(Verify(*program), absl::OkStatus());
  EXPECT_EQ(Print(*program), kSmall);
}

TEST_F(ParserTest, ReadsBackRandomPrograms) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    Program program = RandomProgram(&context_, seed);
    ASSERT_EQ(Verify(program), absl::OkStatus()) << seed;
    const std::string text = Print(program);
    const absl::StatusOr<Program> read = Parse(&context_, text);
    ASSERT_TRUE(read.ok()) << read.status() << "\n" << text;
    ASSERT_EQ(Print(*read), text);
    ASSERT_EQ(Verify(*read), absl::OkStatus()) << text;
    ASSERT_EQ(Print(program.Clone()), text);
    const std::string located = Print(program.Clone(), {/*locations=*/true});
    const absl::StatusOr<Program> again = Parse(&context_, located);
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << located;
    ASSERT_EQ(Print(*again, {/*locations=*/true}), located);
  }
}

TEST_F(ParserTest, RejectsEveryTruncation) {
  std::string text = kSmall;
  text.pop_back();  // The last newline may be missing.
  for (size_t size = 0; size < text.size(); ++size) {
    const auto program = Parse(&context_, text.substr(0, size));
    ASSERT_FALSE(program.ok()) << size;
    ASSERT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(ParserTest, SurvivesRandomFlips) {
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string text = kSmall;
    for (uint32_t flips = 1 + random() % 3; flips > 0; --flips) {
      text[random() % text.size()] ^= static_cast<char>(1u << random() % 8);
    }
    const absl::StatusOr<Program> program = Parse(&context_, text);
    if (!program.ok()) {
      ASSERT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    ++read;
    Verify(*program).IgnoreError();
    const std::string printed = Print(*program);
    const absl::StatusOr<Program> again = Parse(&context_, printed);
    ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
    ASSERT_EQ(Print(*again), printed);
  }
  // Flips inside names and numbers leave a program.
  EXPECT_GT(read, 0);
}

TEST_F(ParserTest, LimitsTheDepthOfRegions) {
  const auto nested = [](int depth) {
    std::string text = "program @p { ^entry():";
    for (int i = 0; i < depth; ++i) text += " test.scope() region {";
    for (int i = 0; i < depth; ++i) text += " test.yield() }";
    return text + " builtin.return() }";
  };
  EXPECT_TRUE(Parse(&context_, nested(kMaxRegionDepth - 1)).ok());
  const auto deep = Parse(&context_, nested(100000));
  ASSERT_FALSE(deep.ok());
  EXPECT_NE(deep.status().message().find("at most 64 regions"),
            absl::string_view::npos)
      << deep.status();
}

TEST_F(ParserTest, TakesUnknownOperationsWhereTheContextDoes) {
  constexpr char kText[] = R"(program @p {
  ^entry():
    %0 = other.thing() : tensor<bool[]>
    builtin.return()
}
)";
  const auto refused = Parse(&context_, kText);
  EXPECT_EQ(refused.status().message(),
            "3:10: expected a known operation, found 'other.thing'");
  ContextOptions options;
  options.allow_unknown_ops = true;
  Context tolerant(options);
  const absl::StatusOr<Program> program = Parse(&tolerant, kText);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(Print(*program), kText);
}

TEST_F(ParserTest, NamesValuesOfOneHintApart) {
  absl::StatusOr<Program> program = Parse(
      &context_,
      "program @p { ^entry(%x: feed \"x\" tensor<bool[]>): builtin.return() }");
  ASSERT_TRUE(program.ok()) << program.status();
  Value x = program->entry().argument(0);
  for (int i = 0; i < 2; ++i) {
    Value copy = program->AddFeed("y", x.type());
    copy.SetHint(x.hint_attribute());
  }
  const std::string text = Print(*program);
  EXPECT_NE(text.find("%x_1: feed"), std::string::npos) << text;
  EXPECT_NE(text.find("%x_2: feed"), std::string::npos) << text;
}

}  // namespace
}  // namespace switchyard::static_graph::ir
