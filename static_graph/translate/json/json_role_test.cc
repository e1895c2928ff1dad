// SPDX-License-Identifier: Apache-2.0
// Programs in JSON that set variables, train them and draw random numbers.
#include <deque>
#include <optional>
#include <utility>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/json/json_translator.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

// A loop that writes an array, and a branch that writes it again.
class JsonRoleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
    const auto text =
        ReadFile("static_graph/foreign/paddle_json/testdata/json_arrays.json");
    ASSERT_THAT(text, IsOk());
    auto program = ParseJsonProgram(*text);
    ASSERT_THAT(program, IsOk());
    program_ = *std::move(program);
  }
  absl::StatusOr<TranslatedProgram> Translate(const JsonRole& role = {}) {
    return TranslateJsonProgram(program_, "main", &context_, role);
  }
  void ExpectRefused(absl::StatusCode code, const std::string& text) {
    EXPECT_THAT(Translate(), StatusIs(code, HasSubstr(text)));
  }
  JsonOperator& op(const std::string& name) {
    for (JsonOperator& one : program_.operators) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << "no operator " << name;
    return program_.operators[0];
  }

  ir::Context context_;
  JsonBlock program_;
};

TEST_F(JsonRoleTest, Item13WhatBlocksWriteOverLeavesThem) {
  const auto translated = Translate();
  ASSERT_THAT(translated, IsOk());
  const auto fetches = translated->program.fetches();
  ASSERT_EQ(fetches.size(), 2u);
  // The length is that of the array after the branch: its second result.
  const ir::Operation* length = fetches[0].value.defining_op();
  const ir::Operation* branch = length->operand(0).defining_op();
  EXPECT_EQ(branch->name(), kIfOp);
  EXPECT_EQ(branch->num_results(), 2);
  // The loop carries its condition, two operands and the array.
  const ir::Operation* compared = branch->operand(0).defining_op();
  const ir::Operation* loop = compared->operand(1).defining_op();
  EXPECT_EQ(loop->name(), kWhileOp);
  EXPECT_EQ(loop->num_results(), 4);
  const std::string text = ir::Print(translated->program);
  EXPECT_THAT(text, HasSubstr("sections = int64[-1, -1]")) << text;
}

TEST_F(JsonRoleTest, Item13StartupProgramsSetStates) {
  JsonOperator set;
  set.name = "builtin.set_parameter";
  set.operands = {op("full").results[0].id};
  JsonAttr name;
  name.name = kParameterName;
  name.value = Attribute(AttrRef("w"));
  set.attrs.push_back(name);
  program_.operators.push_back(set);
  JsonRole role;
  role.startup = true;
  const auto translated = Translate(role);
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->states.size(), 1u);
  EXPECT_EQ(translated->states[0].name, "w");
  ASSERT_EQ(translated->program.new_states().size(), 1u);
  EXPECT_EQ(translated->program.new_states()[0].name, "w");
  program_.operators.push_back(set);
  EXPECT_THAT(Translate(role),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("variable 'w' must be set once, got twice")));
}

TEST_F(JsonRoleTest, VariablesAreNoFeeds) {
  const HashSet<std::string> names = {"x"};
  JsonRole role;
  role.variables = &names;
  EXPECT_THAT(Translate(role),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("a dense tensor of known shape")));
  for (JsonOperator& one : program_.operators) {
    if (one.name == "data") one.results[0].type.spec->shape = {4, 2};
  }
  const auto translated = Translate(role);
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->states.size(), 1u);
  EXPECT_EQ(translated->states[0].name, "x");
}

// An operator that draws two numbers, and reads no value.
JsonOperator Uniform(std::optional<int> seed) {
  JsonOperator uniform;
  uniform.name = "uniform";
  uniform.results.resize(1);
  uniform.results[0].id = 100;
  uniform.results[0].type.kind = JsonType::Kind::kTensor;
  uniform.results[0].type.spec->dtype = DataType::kFloat32;
  uniform.results[0].type.spec->shape = {2};
  const auto add = [&](const char* name, AttrRef value) {
    JsonAttr attr;
    attr.name = name;
    attr.value = Attribute(value);
    uniform.attrs.push_back(attr);
  };
  const int64_t shape[] = {2};
  add("shape", AttrRef(absl::MakeConstSpan(shape)));
  add("min", AttrRef(0.0f));
  add("max", AttrRef(1.0f));
  if (seed.has_value()) add("seed", AttrRef(*seed));
  return uniform;
}

TEST_F(JsonRoleTest, DrawsFromASeedOrTheGenerator) {
  program_.operators.insert(program_.operators.begin(), Uniform(7));
  auto translated = Translate();
  ASSERT_THAT(translated, IsOk());
  EXPECT_TRUE(translated->program.new_states().empty());
  program_.operators[0] = Uniform(0);
  translated = Translate();
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->program.new_states().size(), 1u);
  EXPECT_EQ(translated->program.new_states()[0].name, "rng");
  EXPECT_TRUE(translated->states.empty());
}

TEST_F(JsonRoleTest, RefusesToDrawInALoopWithoutASeed) {
  std::deque<JsonOperator>& body = op("while").blocks[0].operators;
  body.insert(body.begin(), Uniform(7));
  EXPECT_THAT(Translate(), IsOk());
  body[0] = Uniform(std::nullopt);
  ExpectRefused(absl::StatusCode::kUnimplemented,
                "a random operator without a seed must be outside of while");
}

}  // namespace
}  // namespace switchyard::static_graph
