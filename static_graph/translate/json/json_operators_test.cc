// SPDX-License-Identifier: Apache-2.0
// Operators of programs in JSON: calls of ours by their own names or others,
// what goes in and comes out, random numbers, and what can't be translated.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "framework/base/hash_map.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/translate/json/json_text.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;
using testing::Not;

// A feed of that type, value 1 and up.
Op Feed(int id, const std::string& element, const std::string& extents) {
  return {"data",
          {},
          {Tensor(id, element, extents)},
          {Attr("name", "a_str", absl::StrCat("\"x", id, "\""))}};
}

Op Fetch(int id, int column = 0) {
  return {"fetch",
          {id},
          {},
          {Attr("name", "a_str", "\"out\""),
           Attr("col", "a_i32", absl::StrCat(column))}};
}

// A program of one operator, whose operands are feeds of one type.
std::string Call(const Op& op, const std::string& element = "f32",
                 const std::string& extents = "[2,3]") {
  std::vector<Op> ops;
  for (const int id : op.operands) {
    if (id != 0) ops.push_back(Feed(id, element, extents));
  }
  ops.push_back(op);
  ops.push_back(Fetch(100));
  return Program({}, ops);
}

std::string Result(const std::string& element = "f32",
                   const std::string& extents = "[2,3]") {
  return Tensor(100, element, extents);
}

void ExpectCalls(const std::string& program, const std::string& text) {
  const auto translated = TranslatedText(program);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(*translated, HasSubstr(text));
}

void ExpectRefused(const std::string& program, absl::StatusCode code,
                   const std::string& text, const ProgramRole& role = {}) {
  EXPECT_THAT(TranslatedText(program, role), StatusIs(code, HasSubstr(text)));
}

std::string Whole() {
  return ReadFile("static_graph/foreign/paddle_json/testdata/json_whole.json")
      .value_or("");
}

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(JsonOperatorsTest, Item13ConstantsBecomeAttributes) {
  const auto translated = TranslatedText(Whole());
  ASSERT_THAT(translated, IsOk());
  // scale reads value 4, which add_ wrote over; fetches are by column.
  EXPECT_EQ(*translated,
            R"(program @main {
  ^entry(
      %b: state "b" tensor<float32[3]>,
      %w: state "w" tensor<float32[2, 3]>,
      %image: feed "image" tensor<float32[?, 2]>):
    %0 = op.matmul(%image, %w) {transpose_x = false, transpose_y = false} : )"
            R"(tensor<float32[?, 3]>
    %1 = op.add(%0, %b) : tensor<float32[?, 3]>
    %2 = builtin.constant() {value = dense<float32[1]>[2.0]} : )"
            R"(tensor<float32[1]>
    %3 = op.scale(%1) {bias = scalar(0.5), bias_after_scale = true, )"
            R"(scale = scalar(2.0)} : tensor<float32[?, 3]>
    %4 = builtin.constant() {value = dense<int64[2]>[-1, 1]} : )"
            R"(tensor<int64[2]>
    %5 = op.reshape(%3) {shape = int64[-1, 1]} : tensor<float32[?, 1]>
    builtin.return("sum" = %1, "prob" = %5)
}
)");
}

TEST(JsonOperatorsTest, WrittenParametersAreNewStates) {
  ExpectCalls(Program({Parameter(1, "b", "[3]")},
                      {{"relu_", {1}, {Tensor(2, "f32", "[3]")}}, Fetch(2)}),
              R"(builtin.return("out" = %0) state("b" = %0))");
}

TEST(JsonOperatorsTest, ListsAreTheirTensors) {
  // A list that is split, of which an element is taken, and one that is made.
  ExpectCalls(
      Program(
          {},
          {Feed(1, "f32", "[2,2]"),
           {"unbind",
            {1},
            {List(2, "f32", "[2]", 2)},
            {Attr("axis", "a_i32", "0")}},
           {"0.slice",
            {2},
            {Tensor(3, "f32", "[2]")},
            {Attr("index", "a_i32", "1")}},
           {"0.split", {2}, {Tensor(4, "f32", "[2]"), Tensor(5, "f32", "[2]")}},
           {"0.combine", {3, 4, 5}, {List(6, "f32", "[2]", 3)}},
           {"add_n", {6}, {Tensor(100, "f32", "[2]")}},
           Fetch(100)}),
      "%4 = op.add(%3, %2) : tensor<float32[2]>\n"
      "    %5 = op.add(%4, %3)");
}

TEST(JsonOperatorsTest, ListsThatDoNotFit) {
  const std::vector<Op> unbound = {Feed(1, "f32", "[2,2]"),
                                   {"unbind",
                                    {1},
                                    {List(2, "f32", "[2]", 2)},
                                    {Attr("axis", "a_i32", "0")}}};
  std::vector<Op> ops = unbound;
  ops.push_back({"0.split", {2}, {Tensor(4, "f32", "[2]")}});
  ExpectRefused(Program({}, ops), absl::StatusCode::kInvalidArgument,
                "builtin.split: results must be 2, got 1");
  ops = unbound;
  ops.push_back({"0.slice",
                 {2},
                 {Tensor(3, "f32", "[2]")},
                 {Attr("index", "a_i32", "2")}});
  ExpectRefused(Program({}, ops), absl::StatusCode::kInvalidArgument,
                "builtin.slice: index must be in [0, 2), got 2");
}

TEST(JsonOperatorsTest, ShapesAreOfTheIntegersThatTheProgramSays) {
  ExpectCalls(Call({"shape64", {1}, {Result("i32", "[2]")}}),
              "op.cast(%0) {dtype = int32}");
}

TEST(JsonOperatorsTest, Item15ListsAllOperatorsThatAreInTheWay) {
  std::string text = Replaced(Whole(), "1.matmul", "1.matmull");
  text = Replaced(text, "1.add_", "1.nonesuch");
  text = Replaced(text, "\"bias\"", "\"rank\"");
  ExpectRefused(
      text, absl::StatusCode::kUnimplemented,
      "3 operators can't be translated:\n"
      "block 0, operator 3, matmull: there is no operator of this name; the "
      "nearest is matmul\n"
      "block 0, operator 4, nonesuch: there is no operator of this name\n"
      "block 0, operator 6, scale: rank must be absent or neutral (the form "
      "has scale, bias, bias_after_scale), got 0.5");
}

TEST(JsonOperatorsTest, RefusesCallsThatDoNotFit) {
  const absl::StatusCode code = absl::StatusCode::kInvalidArgument;
  const std::string operands = R"({"%":3},{"%":2}])";
  ExpectRefused(Replaced(Whole(), operands,
                         R"({"%":3},{"%":2},{"%":1},{"%":1},{"%":1}])"),
                code, "matmul: operands must be at most 2, got 5");
  ExpectRefused(Replaced(Whole(), operands, R"({"%":3}])"), code,
                "matmul: y must be given, got none");
  ExpectRefused(Replaced(Whole(), operands, R"({"%":3},{"%":0}])"), code,
                "matmul: y must be given, got none");
  ExpectRefused(Replaced(Whole(), R"({"#":"0.a_bool","D":false})",
                         R"({"#":"0.a_pointer","D":false})"),
                code,
                "attribute 'transpose_x' must be a number, a text or a list "
                "of numbers, got a_pointer");
}

TEST(JsonOperatorsTest, RefusesNumbersThatAreComputed) {
  ExpectRefused(
      Replaced(Whole(), R"({"%":4},{"%":6}])", R"({"%":4},{"%":3}])"),
      absl::StatusCode::kInvalidArgument,
      "scale: scale must be supplied by tensors of a known number of elements "
      "in a row, got [?, 2]");
  std::string text = Replaced(Whole(), "1.reshape", "1.flip");
  ExpectRefused(Replaced(text, R"({"%":7},{"%":8}])", R"({"%":7},{"%":4}])"),
                absl::StatusCode::kUnimplemented,
                "flip: axis must be known before the run, got a computed "
                "value");
}

TEST(JsonOperatorsTest, ChecksPorts) {
  const absl::StatusCode code = absl::StatusCode::kInvalidArgument;
  ExpectRefused(Replaced(Whole(), R"("col")", R"("row")"), code,
                "fetch: col must be int64_t, got none");
  const std::string shown = Replaced(Whole(), "1.fetch", "0.shadow_output");
  ExpectRefused(shown, code, "output_name must be str, got none");
  ExpectCalls(Replaced(shown, R"({"N":"name","AT":{"#":"0.a_str","D":"prob"})",
                       R"({"N":"output_name","AT":{"#":"0.a_str","D":"prob"})"),
              R"(builtin.return("prob" = %5, "sum" = %1))");
  ExpectRefused(Replaced(Whole(), R"({"#":"0.t_f32"},[-1,2])",
                         R"({"#":"0.t_abc"},[-1,2])"),
                code, "feed 'image' must be one tensor, got another");
  ExpectRefused(Replaced(Whole(), "[2,3]", "[-1,3]"), code,
                "variable 'w' must be a dense tensor of known shape");
  ExpectRefused(Replaced(Whole(), R"(1,"w"])", R"(1,"b"])"), code,
                "variable 'b' must be there once, got twice");
  ExpectRefused(Program({}, {Feed(1, "f32", "[2]"), Feed(1, "f32", "[2]")}),
                code, "value must be defined once, got 1 twice");
  const Op again = {
      "data", {}, {Tensor(2, "f32", "[2]")}, {Attr("name", "a_str", "\"x1\"")}};
  ExpectRefused(Program({}, {Feed(1, "f32", "[2]"), again}), code,
                "feed 'x1' must be there once, got twice");
}

// A parameter that no file of weights holds has no value: a call is as if it
// were left out.
TEST(JsonOperatorsTest, ParametersWithoutWeightsAreLeftOut) {
  const Op call = {
      "dropout",
      {1, 2},
      {Tensor(3, "f32", "[2]"), Tensor(4, "ui8", "[2]")},
      {Attr("p", "a_f32", "0.5"), Attr("is_test", "a_bool", "true"),
       Attr("mode", "a_str", "\"upscale_in_train\"")}};
  ExpectCalls(Program({Parameter(2, "seed", "[1]", false)},
                      {Feed(1, "f32", "[2]"), call, Fetch(3)}),
              "op.dropout(%x1");
}

// The extents of windows and the share of dropout may be operands.
TEST(JsonOperatorsTest, WindowsAndSharesThatAreComputed) {
  const Op pool = {"pool2d",
                   {1, 2},
                   {Result("f32", "[1,1,-1,-1]")},
                   {Attr("pooling_type", "a_str", "\"avg\"")}};
  ExpectCalls(Program({}, {Feed(1, "f32", "[1,1,4,4]"), Feed(2, "i64", "[2]"),
                           pool, Fetch(100)}),
              "op.pool2d(%x1, %x2)");
  const Op dropout = {"dropout",
                      {1, 0, 2},
                      {Result("f32", "[2]"), Tensor(4, "ui8", "[2]")},
                      {Attr("is_test", "a_bool", "true"),
                       Attr("mode", "a_str", "\"downgrade_in_infer\"")}};
  ExpectCalls(Program({}, {Feed(1, "f32", "[2]"), Feed(2, "f32", "[1]"),
                           dropout, Fetch(100)}),
              "op.dropout(%x1, %x2)");
}

TEST(JsonOperatorsTest, SecondFetchesOfANameGetANumber) {
  ExpectCalls(Program({}, {Feed(1, "f32", "[2]"), Fetch(1, 1), Fetch(1, 0)}),
              R"(builtin.return("out" = %x1, "out.1" = %x1))");
}

TEST(JsonOperatorsTest, AttributesThatHaveOtherNames) {
  const std::string axis =
      Attr("axis", "a_array", R"([{"#":"0.a_i64","D":0}])");
  const Op levels = {
      "distribute_fpn_proposals",
      {1, 2},
      {List(3, "f32", "[-1,4]", 4), List(4, "i32", "[1]", 4),
       Result("i32", "[-1,1]")},
      {Attr("min_level", "a_i32", "2"), Attr("max_level", "a_i32", "5"),
       Attr("refer_level", "a_i32", "4"), Attr("refer_scale", "a_i32", "224"),
       Attr("pixel_offset", "a_bool", "false")}};
  ExpectCalls(Program({}, {Feed(1, "f32", "[5,4]"), Feed(2, "i32", "[1]"),
                           levels, Fetch(100)}),
              "levels = int32[2, 3, 4, 5]");
  ExpectCalls(Call({"frobenius_norm",
                    {1},
                    {Result("f32", "[3]")},
                    {axis, Attr("keep_dim", "a_bool", "true")}}),
              "keepdim = true");
  ExpectCalls(Call({"frobenius_norm",
                    {1},
                    {Result("f32", "[]")},
                    {axis, Attr("keep_dim", "a_bool", "false"),
                     Attr("reduce_all", "a_bool", "true")}}),
              "axis = int64[]");
}

TEST(JsonOperatorsTest, LuExchangesRows) {
  const auto lu = [](const std::string& pivot) {
    return Call(
        {"lu",
         {1},
         {Result(), Tensor(101, "i32", "[2]"), Tensor(102, "i32", "[]")},
         {Attr("pivot", "a_bool", pivot)}});
  };
  ExpectCalls(lu("true"), "lu(");
  ExpectRefused(lu("false"), absl::StatusCode::kInvalidArgument,
                "lu: pivots must be true, got false");
}

TEST(JsonOperatorsTest, LevelsThatAreNoneStay) {
  ExpectRefused(Call({"distribute_fpn_proposals",
                      {1},
                      {List(100, "f32", "[-1,4]", 4)},
                      {Attr("min_level", "a_i32", "5"),
                       Attr("max_level", "a_i32", "2")}}),
                absl::StatusCode::kInvalidArgument, "min_level");
}

TEST(JsonOperatorsTest, OperatorsThatDependOnTheDtype) {
  ExpectCalls(Call({"add", {1, 2}, {Result("bool")}}, "bool"),
              "op.logical_or(");
  ExpectCalls(Call({"multiply", {1, 2}, {Result("bool")}}, "bool"),
              "op.logical_and(");
  ExpectCalls(Call({"multiply", {1, 2}, {Result("i32")}}, "i32"),
              "op.multiply(");
  ExpectCalls(Call({"conj", {1}, {Result()}}), "op.assign(");
  ExpectCalls(Call({"conj", {1}, {Result("c64")}}, "c64"), "op.conj(");
}

TEST(JsonOperatorsTest, OperatorsThatWriteTheirLastOperand) {
  ExpectCalls(Program({Parameter(1, "b", "[2]")},
                      {Feed(2, "f32", "[2]"),
                       {"assign_out_", {2, 1}, {Tensor(3, "f32", "[2]")}},
                       Fetch(1)}),
              R"(builtin.return("out" = %0) state("b" = %0))");
}

TEST(JsonOperatorsTest, Item13StartupProgramsSetStates) {
  const Op full = {
      "full",
      {},
      {Tensor(1, "f32", "[2]")},
      {Attr("shape", "a_intarray", "[2]"), Attr("value", "a_f64", "1.5"),
       Attr("dtype", "a_dtype", "\"float32\"")}};
  const Op set = {
      "0.set_parameter", {1}, {}, {Attr("parameter_name", "a_str", "\"w\"")}};
  ProgramRole role;
  role.startup = true;
  const auto translated = TranslatedText(Program({}, {full, set}), role);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(*translated, HasSubstr(R"(^entry(%w: state "w")"));
  EXPECT_THAT(*translated, HasSubstr(R"(builtin.return() state("w" = %0))"));
  ExpectRefused(Program({}, {full, set, set}),
                absl::StatusCode::kInvalidArgument,
                "variable 'w' must be there once, got twice", role);
}

TEST(JsonOperatorsTest, VariablesAreNoFeeds) {
  const HashSet<std::string> names = {"x1"};
  ProgramRole role;
  role.variables = &names;
  ExpectRefused(Program({}, {Feed(1, "f32", "[-1,2]"), Fetch(1)}),
                absl::StatusCode::kInvalidArgument,
                "a dense tensor of known shape", role);
  const auto translated =
      TranslatedText(Program({}, {Feed(1, "f32", "[4,2]"), Fetch(1)}), role);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(*translated, HasSubstr(R"(%x1: state "x1")"));
}

// An operator that draws two numbers, and reads no value.
Op Uniform(const std::vector<std::string>& seed) {
  Op uniform = {"uniform",
                {},
                {Tensor(100, "f32", "[2]")},
                {Attr("shape", "a_intarray", "[2]"),
                 Attr("min", "a_f32", "0.0"), Attr("max", "a_f32", "1.0")}};
  uniform.attrs.insert(uniform.attrs.end(), seed.begin(), seed.end());
  return uniform;
}

TEST(JsonOperatorsTest, DrawsFromASeedOrTheGenerator) {
  const auto seeded = TranslatedText(
      Program({}, {Uniform({Attr("seed", "a_i32", "7")}), Fetch(100)}));
  ASSERT_THAT(seeded, IsOk());
  EXPECT_THAT(*seeded, Not(HasSubstr("rng")));
  EXPECT_THAT(*seeded, HasSubstr("dense<int64[2]>[7, 0]"));
  ExpectCalls(Program({}, {Uniform({Attr("seed", "a_i32", "0")}), Fetch(100)}),
              R"(state("rng" = %2))");
}

TEST(JsonOperatorsTest, RefusesToDrawInALoopWithoutASeed) {
  const auto loop = [](const std::vector<std::string>& seed) {
    const std::string block = Block({}, {Uniform(seed), {"2.yield", {1}, {}}});
    return Program(
        {},
        {Feed(1, "bool", "[1]"), {"while", {1}, {}, {}, {block}}, Fetch(1)});
  };
  EXPECT_THAT(TranslatedText(loop({Attr("seed", "a_i32", "7")})), IsOk());
  ExpectRefused(loop({}), absl::StatusCode::kUnimplemented,
                "a random operator without a seed must be outside of while");
}

}  // namespace
}  // namespace switchyard::static_graph
