// SPDX-License-Identifier: Apache-2.0
// Control flow of programs in JSON: blocks that write over values from outside,
// and blocks that don't fit.
#include <string>
#include <vector>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/translate/json/json_text.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

// Numbers of values.
constexpr int kBias = 1;
constexpr int kGoOn = 2;
constexpr int kResult = 3;
constexpr int kInner = 10;
constexpr int kArgument = -1;

std::string Bias(int id) { return Tensor(id, "f32", "[3]"); }
std::string Argument(int id) { return Tensor(id, "f32", "[3]", "#"); }
Op Yield(std::vector<int> values) { return {"2.yield", std::move(values)}; }

// A program with a parameter, a condition and an operator, which is shown.
std::string With(const Op& op, int shown = kResult) {
  return Program(
      {Parameter(kBias, "b", "[3]")},
      {{"data",
        {},
        {Tensor(kGoOn, "bool", "[1]")},
        {Attr("name", "a_str", "\"go\"")}},
       op,
       {"fetch",
        {shown},
        {},
        {Attr("name", "a_str", "\"out\""), Attr("col", "a_i32", "0")}}});
}

void ExpectRefused(const Op& op, const std::string& text) {
  EXPECT_THAT(TranslatedText(With(op)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
}

TEST(JsonControlTest, Item13WhatBlocksWriteOverLeavesThem) {
  const auto text =
      ReadFile("static_graph/foreign/paddle_json/testdata/json_arrays.json");
  ASSERT_THAT(text, IsOk());
  const auto translated = TranslatedText(*text);
  ASSERT_THAT(translated, IsOk());
  // The loop carries its condition, two operands and the array, which the
  // branch writes again, and whose length is taken after it.
  EXPECT_EQ(*translated,
            R"(program @main {
  ^entry(%x: feed "x" tensor<float32[?, 2]>):
    %0 = builtin.constant() {value = dense<int64[1]>[0]} : tensor<int64[1]>
    %1 = builtin.constant() {value = dense<int64[1]>[1]} : tensor<int64[1]>
    %2 = builtin.constant() {value = dense<int64[1]>[3]} : tensor<int64[1]>
    %3 = op.create_array() {dtype = float32, element_shape = int64[-1, 2]} : )"
            R"(tensor<float32[0, ?, 2], kind tensor_array>
    %4 = op.less_than(%0, %2) : tensor<bool[1]>
    %5, %6, %7, %8 = cf.while(%4, %0, %x, %3) : tensor<bool[1]>, )"
            R"(tensor<int64[1]>, tensor<float32[?, 2]>, )"
            R"(tensor<float32[?, ?, 2], kind tensor_array> region {
      ^(%9: tensor<bool[1]>, %10: tensor<int64[1]>, )"
            R"(%11: tensor<float32[?, 2]>, )"
            R"(%12: tensor<float32[?, ?, 2], kind tensor_array>):
      cf.condition(%9)
    } region {
      ^(%13: tensor<bool[1]>, %14: tensor<int64[1]>, )"
            R"(%15: tensor<float32[?, 2]>, )"
            R"(%16: tensor<float32[?, ?, 2], kind tensor_array>):
      %17 = op.array_write(%15, %14, %16) {operand_segments = )"
            R"(int32[1, 1, 1]} : tensor<float32[?, ?, 2], kind tensor_array>
      %18 = op.add(%15, %x) : tensor<float32[?, 2]>
      %19 = op.add(%14, %1) : tensor<int64[1]>
      %20 = op.less_than(%19, %2) : tensor<bool[1]>
      cf.yield(%20, %19, %18, %17)
    }
    %21 = op.less_than(%2, %6) : tensor<bool[1]>
    %22, %23 = cf.if(%21) : tensor<float32[?, 2]>, )"
            R"(tensor<float32[?, ?, 2], kind tensor_array> region {
      %24 = op.array_write(%7, %6, %8) {operand_segments = )"
            R"(int32[1, 1, 1]} : tensor<float32[?, ?, 2], kind tensor_array>
      %25 = op.relu(%7) : tensor<float32[?, 2]>
      cf.yield(%25, %24)
    } region {
      cf.yield(%7, %8)
    }
    %26 = op.array_length(%23) : tensor<int64[1]>
    %27 = builtin.constant() {value = dense<int32[1]>[1]} : tensor<int32[1]>
    %28, %29 = op.split(%22) {axis = 1, result_segments = int32[2], )"
            R"(sections = int64[-1, -1]} : )"
            R"(tensor<float32[?, 1]>, tensor<float32[?, 1]>
    builtin.return("length" = %26, "first" = %28)
}
)");
}

TEST(JsonControlTest, ABranchYieldsWhatItWritesOver) {
  // One branch leaves b as it is. It is a new state then: the second result.
  const auto translated = TranslatedText(
      With({"if",
            {kGoOn},
            {Bias(kResult)},
            {},
            {Block({}, {{"relu_", {kBias}, {Bias(kInner)}}, Yield({kBias})}),
             Block({}, {Yield({kBias})})}}));
  ASSERT_THAT(translated, IsOk());
  EXPECT_EQ(*translated,
            R"(program @main {
  ^entry(%b: state "b" tensor<float32[3]>, %go: feed "go" tensor<bool[1]>):
    %0, %1 = cf.if(%go) : tensor<float32[3]>, tensor<float32[3]> region {
      %2 = op.relu(%b) : tensor<float32[3]>
      cf.yield(%2, %2)
    } region {
      cf.yield(%b, %b)
    }
    builtin.return("out" = %0) state("b" = %1)
}
)");
}

TEST(JsonControlTest, ALoopCarriesWhatItWritesOver) {
  const auto translated = TranslatedText(
      With({"while",
            {kGoOn, kBias},
            {Bias(kResult)},
            {},
            {Block({Argument(kArgument)}, {{"relu_", {kBias}, {Bias(kInner)}},
                                           Yield({kGoOn, kArgument})})}}));
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(*translated, HasSubstr("cf.while(%go, %b, %b)"));
  EXPECT_THAT(*translated, HasSubstr(R"("out" = %1) state("b" = %2))"));
}

TEST(JsonControlTest, ANameWithAnUnderscoreWritesOverItsOperand) {
  // Ours, increment, works on no memory of its input.
  const auto translated =
      TranslatedText(With({"increment_", {kBias}, {Bias(kResult)}}));
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(*translated, HasSubstr(R"("out" = %0) state("b" = %0))"));
}

TEST(JsonControlTest, RefusesBlocksThatDoNotFit) {
  const std::string yields = Block({}, {Yield({kBias})});
  const std::string without = Block({}, {Yield({})});
  ExpectRefused({"if", {kGoOn}, {Bias(kResult)}, {}, {yields}},
                "block 0, operator 2, if: blocks must be 2, got 1");
  ExpectRefused({"if", {kGoOn}, {Bias(kResult)}, {}, {yields, without}},
                "operator 2, if: results must be 0, got 1");
  ExpectRefused({"if", {kGoOn}, {Bias(kResult)}, {}, {yields, Block({}, {})}},
                "block must be one that ends with a yield, got another");
  ExpectRefused({"if", {}, {Bias(kResult)}, {}, {yields, yields}},
                "operand 0 must be one tensor, got none");
  ExpectRefused({"while",
                 {kGoOn, kBias},
                 {Bias(kResult)},
                 {},
                 {Block({}, {Yield({kGoOn, kBias})})}},
                "while: arguments of the block must be 1, got 0");
  ExpectRefused({"while",
                 {kGoOn, kBias},
                 {Bias(kResult)},
                 {},
                 {Block({Argument(kArgument)}, {Yield({kGoOn})})}},
                "while: results must be 0, got 1");
  EXPECT_THAT(
      TranslatedText(With({"relu", {kBias}, {Bias(kResult)}, {}, {without}})),
      StatusIs(absl::StatusCode::kUnimplemented,
               HasSubstr("relu: attribute 'blocks' must be a value, got a "
                         "block of operators")));
}

}  // namespace
}  // namespace switchyard::static_graph
