// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_translator.h"

#include "framework/base/file.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

class JsonTranslatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
    const auto text =
        ReadFile("static_graph/foreign/paddle_json/testdata/json_whole.json");
    ASSERT_THAT(text, IsOk());
    auto program = ParseJsonProgram(*text);
    ASSERT_THAT(program, IsOk());
    program_ = *std::move(program);
  }
  absl::StatusOr<TranslatedProgram> Translate() {
    return TranslateJsonProgram(program_, "main", &context_);
  }
  void ExpectRefused(absl::StatusCode code, const std::string& text) {
    EXPECT_THAT(Translate(), StatusIs(code, HasSubstr(text)));
  }
  JsonOperator& op(size_t index) { return program_.operators[index]; }

  ir::Context context_;
  JsonBlock program_;
};

TEST_F(JsonTranslatorTest, Item13ConstantsBecomeAttributes) {
  const auto translated = Translate();
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->states.size(), 2u);
  EXPECT_EQ(translated->states[0].name, "b");
  EXPECT_EQ(translated->states[1].spec.shape, (Shape{2, 3}));
  const std::string text = ir::Print(translated->program);
  for (const char* part :
       {"op.matmul", "scale = scalar(2.0)", "bias = scalar(0.5)",
        "shape = int64[-1, 1]", "\"image\"", "\"prob\""}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
  // They are ordered by column.
  ASSERT_EQ(translated->program.fetches().size(), 2u);
  EXPECT_EQ(translated->program.fetches()[0].name, "sum");
  EXPECT_TRUE(translated->program.new_states().empty());
}

TEST_F(JsonTranslatorTest, WhatIsWrittenOverIsReadBehind) {
  const auto translated = Translate();
  ASSERT_THAT(translated, IsOk());
  // scale reads value 4, which add_ wrote over.
  const auto fetches = translated->program.fetches();
  const ir::Operation* reshape = fetches[1].value.defining_op();
  const ir::Operation* scale = reshape->operand(0).defining_op();
  EXPECT_EQ(scale->operand(0), fetches[0].value);
}

TEST_F(JsonTranslatorTest, WrittenParametersAreNewStates) {
  op(4).name = "relu_";
  op(4).operands = {1};
  op(4).results[0].type.spec->shape = {3};
  const auto translated = Translate();
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->program.new_states().size(), 1u);
  EXPECT_EQ(translated->program.new_states()[0].name, "b");
}

TEST_F(JsonTranslatorTest, Item15ListsAllOperatorsThatAreInTheWay) {
  op(3).name = "matmull";
  op(4).name = "nonesuch";
  op(6).attrs[0].name = "rank";
  ExpectRefused(
      absl::StatusCode::kUnimplemented,
      "3 operators can't be translated:\n"
      "block 0, operator 3, matmull: there is no operator of this name; the "
      "nearest is matmul\n"
      "block 0, operator 4, nonesuch: there is no operator of this name\n"
      "block 0, operator 6, scale: rank must be absent or neutral (the form "
      "has scale, bias, bias_after_scale), got 0.5");
}

TEST_F(JsonTranslatorTest, RefusesCallsThatDoNotFit) {
  op(3).operands.push_back(1);
  op(3).operands.push_back(1);
  op(3).operands.push_back(1);
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "matmul: operands must be at most 2, got 5");
  op(3).operands = {3};
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "matmul: y must be given, got none");
  op(3).operands = {3, 0};
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "matmul: y must be given, got none");
  op(3).operands = {3, 2};
  op(3).attrs[0].unknown = "a_pointer";
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "attribute 'transpose_x' must be a number, a text or a list "
                "of either, got a_pointer");
}

TEST_F(JsonTranslatorTest, RefusesNumbersThatAreComputed) {
  op(6).operands = {4, 3};
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "scale: scale must be supplied by tensors of a known number of "
                "elements in a row, got [?, 2]");
  op(6).operands = {4, 6};
  op(8).name = "flip";
  op(8).operands = {7, 4};
  ExpectRefused(absl::StatusCode::kUnimplemented,
                "flip: axis must be known before the run, got a computed "
                "value");
}

TEST_F(JsonTranslatorTest, ChecksPorts) {
  op(9).attrs.pop_back();
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "fetch: col must be int64_t, got none");
  op(9).name = "builtin.shadow_output";
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "output_name must be str, got none");
  op(9).attrs[0].name = "output_name";
  EXPECT_THAT(Translate(), IsOk());
  op(2).results[0].type.kind = JsonType::Kind::kOther;
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "feed 'image' must be one tensor, got another");
  op(2).results[0].type.kind = JsonType::Kind::kTensor;
  op(1).results[0].type.spec->shape = {Dim(), 3};
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "parameter 'w' must be a dense tensor of known shape");
  op(1).results[0].type.spec->shape = {2, 3};
  op(1).attrs = op(0).attrs;
  ExpectRefused(absl::StatusCode::kInvalidArgument,
                "parameter 'b' must be there once, got twice");
}

}  // namespace
}  // namespace switchyard::static_graph
