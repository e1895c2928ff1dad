// SPDX-License-Identifier: Apache-2.0
// Control flow of programs in JSON: blocks that write over values from outside,
// and blocks that don't fit.
#include <string>
#include <utility>
#include <vector>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/json/json_translator.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

// Numbers of values that no other operator of the program has.
constexpr int64_t kGoOn = 101;
constexpr int64_t kResult = 102;
constexpr int64_t kInner = 103;
constexpr int64_t kArgument = -1;

JsonValue Value(int64_t id, DataType dtype, const Shape& shape) {
  JsonValue value;
  value.id = id;
  value.type.kind = JsonType::Kind::kTensor;
  value.type.spec->dtype = dtype;
  value.type.spec->shape = shape;
  return value;
}

JsonOperator Operator(const std::string& name, std::vector<int64_t> operands,
                      std::vector<JsonValue> results) {
  JsonOperator op;
  op.name = name;
  op.operands = std::move(operands);
  op.results = std::move(results);
  return op;
}

class JsonControlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
    const auto text =
        ReadFile("static_graph/foreign/paddle_json/testdata/json_whole.json");
    ASSERT_THAT(text, IsOk());
    auto program = ParseJsonProgram(*text);
    ASSERT_THAT(program, IsOk());
    program_ = *std::move(program);
    bias_ = Value(0, DataType::kFloat32, Shape{3});
    JsonOperator condition =
        Operator("full", {}, {Value(kGoOn, DataType::kBool, Shape{1})});
    const int64_t one[] = {1};
    condition.attrs = {
        {"shape", Attribute(AttrRef(absl::MakeConstSpan(one))), ""},
        {"value", Attribute(AttrRef(1.0)), ""},
        {"dtype", Attribute(AttrRef(0)), ""}};
    Insert(std::move(condition));
  }

  JsonValue Bias(int64_t id) {
    bias_.id = id;
    return bias_;
  }
  // Inserts an operator after the parameters.
  void Insert(JsonOperator op) {
    auto at = program_.operators.begin() + 2 + inserted_++;
    program_.operators.insert(at, std::move(op));
    for (size_t i = 0; i < program_.operators.size(); ++i) {
      program_.operators[i].index = static_cast<int64_t>(i);
    }
  }
  // A block that takes one value and yields it, and writes over b.
  JsonBlock Block(int number, std::vector<int64_t> yielded) {
    JsonBlock block;
    block.number = number;
    block.operators = {Operator("relu_", {kBias}, {Bias(kInner + number)}),
                       Operator("cf.yield", std::move(yielded), {})};
    return block;
  }
  std::string Text() {
    const auto translated = TranslateJsonProgram(program_, "main", &context_);
    EXPECT_THAT(translated, IsOk());
    return translated.ok() ? ir::Print(translated->program) : "";
  }
  void ExpectRefused(const std::string& text) {
    EXPECT_THAT(TranslateJsonProgram(program_, "main", &context_),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  }

  static constexpr int64_t kBias = 1;
  ir::Context context_;
  JsonBlock program_;
  JsonValue bias_;
  int inserted_ = 0;
};

TEST_F(JsonControlTest, ABranchYieldsWhatItWritesOver) {
  JsonOperator branch = Operator("if", {kGoOn}, {Bias(kResult)});
  branch.blocks = {Block(1, {kBias}), Block(2, {kBias})};
  // One branch leaves b as it is.
  branch.blocks[1].operators.erase(branch.blocks[1].operators.begin());
  Insert(branch);
  const std::string text = Text();
  // b is a new state then: the second result.
  EXPECT_THAT(text, HasSubstr("cf.if("));
  EXPECT_THAT(text, HasSubstr("op.relu("));
  const auto translated = TranslateJsonProgram(program_, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->program.new_states().size(), 1u);
  EXPECT_EQ(translated->program.new_states()[0].name, "b");
}

TEST_F(JsonControlTest, ANameWithAnUnderscoreWritesOverItsOperand) {
  // Ours, increment, works on no memory of its input.
  Insert(Operator("increment_", {kBias}, {Bias(kResult)}));
  const auto translated = TranslateJsonProgram(program_, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->program.new_states().size(), 1u);
  EXPECT_EQ(translated->program.new_states()[0].name, "b");
}

TEST_F(JsonControlTest, ALoopCarriesWhatItWritesOver) {
  JsonOperator loop = Operator("while", {kGoOn, kBias}, {Bias(kResult)});
  loop.blocks = {Block(1, {kGoOn, kArgument})};
  loop.blocks[0].arguments = {Bias(kArgument)};
  Insert(loop);
  const auto translated = TranslateJsonProgram(program_, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(ir::Print(translated->program), HasSubstr("cf.while("));
  ASSERT_EQ(translated->program.new_states().size(), 1u);
  EXPECT_EQ(translated->program.new_states()[0].name, "b");
}

TEST_F(JsonControlTest, RefusesBlocksThatDoNotFit) {
  JsonOperator branch = Operator("if", {kGoOn}, {Bias(kResult)});
  branch.blocks = {Block(1, {kBias})};
  Insert(branch);
  JsonOperator& op = program_.operators[3];
  ExpectRefused("block 0, operator 3, if: blocks must be 2, got 1");
  op.blocks.push_back(Block(2, {}));
  ExpectRefused("operator 3, if: ");
  op.blocks[1].operators.pop_back();
  ExpectRefused(
      "operator 3, if: block must be one that ends with a yield, got another");
  op.blocks[1] = Block(2, {kBias});
  op.results.clear();
  ExpectRefused("operator 3, if: results must be 1, got 0");
  op = Operator("while", {kGoOn, kBias}, {Bias(kResult)});
  op.index = 3;
  op.blocks = {Block(1, {kGoOn, kBias})};
  ExpectRefused("while: arguments of the block must be 1, got 0");
  op = Operator("relu", {kBias}, {Bias(kResult)});
  op.index = 3;
  op.blocks = {Block(1, {})};
  ExpectRefused("relu: operator must be without blocks, got some");
}

}  // namespace
}  // namespace switchyard::static_graph
