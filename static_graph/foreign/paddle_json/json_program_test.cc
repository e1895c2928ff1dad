// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_program.h"

#include <limits>
#include <string>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

std::string Text(const std::string& name) {
  const auto text = ReadFile("static_graph/foreign/paddle_json/testdata/json_" +
                             name + ".json");
  EXPECT_THAT(text, IsOk());
  return text.value_or("");
}

TEST(JsonProgramTest, ReadsOperatorsAndParameters) {
  const auto program = ParseJsonProgram(Text("whole"));
  ASSERT_THAT(program, IsOk());
  ASSERT_EQ(program->operators.size(), 11u);
  const JsonOperator& parameter = program->operators[1];
  EXPECT_EQ(parameter.name, kJsonParameter);
  EXPECT_EQ(parameter.attr(kParameterName)->value, Attribute(AttrRef("w")));
  EXPECT_EQ(parameter.results[0].type.spec->shape, (Shape{2, 3}));
  const JsonOperator& scale = program->operators[6];
  EXPECT_EQ(scale.name, "scale");
  EXPECT_EQ(scale.index, 6);
  EXPECT_EQ(scale.operands, (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(scale.attr("bias")->value, Attribute(AttrRef(0.5f)));
  EXPECT_EQ(scale.attr("scale"), nullptr);
  // 5 is float32 in old programs; a place says nothing here.
  const JsonOperator& full = program->operators[5];
  EXPECT_EQ(full.attr("dtype")->value, Attribute(AttrRef(5)));
  EXPECT_EQ(full.attr("place"), nullptr);
}

TEST(JsonProgramTest, ReadsBlocksOfOperators) {
  const auto program = ParseJsonProgram(Text("blocks"));
  ASSERT_THAT(program, IsOk());
  const JsonOperator& loop = program->operators[9];
  ASSERT_EQ(loop.blocks.size(), 1u);
  EXPECT_EQ(loop.blocks[0].number, 1);
  EXPECT_EQ(loop.blocks[0].arguments[0].id, -1);
  ASSERT_EQ(loop.blocks[0].operators.size(), 2u);
  EXPECT_EQ(loop.blocks[0].operators[1].name, "cf.yield");
}

TEST(JsonProgramTest, Item13ReadsEveryKindOfAttributeAndType) {
  const auto program = ParseJsonProgram(Text("kinds"));
  ASSERT_THAT(program, IsOk());
  const JsonOperator& op = program->operators.back();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(op.attr("a")->value, Attribute(AttrRef(-infinity)));
  EXPECT_EQ(op.attr("b")->value, Attribute(AttrRef(1.5)));
  const std::string texts[] = {"x", "y"};
  EXPECT_EQ(op.attr("c")->value,
            Attribute(AttrRef(absl::Span<const std::string>(texts))));
  const float floats[] = {1.5f};
  EXPECT_EQ(op.attr("d")->value,
            Attribute(AttrRef(absl::Span<const float>(floats))));
  EXPECT_EQ(op.attr("g")->unknown, "a_pointer");
  EXPECT_EQ(op.attr("h")->value, Attribute(AttrRef(-1)));
  EXPECT_EQ(op.attr("i")->unknown, "a_array of several kinds");
  EXPECT_EQ(op.results[0].type.kind, JsonType::Kind::kNone);
  ASSERT_EQ(op.results[1].type.kind, JsonType::Kind::kList);
  EXPECT_EQ(op.results[1].type.items[1].spec->dtype, DataType::kInt64);
  EXPECT_EQ(op.results[2].type.spec->kind, TensorKind::kTensorArray);
  EXPECT_EQ(op.results[2].type.spec->shape, (Shape{Dim(), Dim(), 3}));
  EXPECT_EQ(op.results[3].type.kind, JsonType::Kind::kOther);
}

TEST(JsonProgramTest, NamesWhatIsWrongAndWhere) {
  const struct {
    const char* file;
    const char* text;
  } rows[] = {
      {"cut",
       "program must be JSON, got other text at offset 700: Missing a comma or "
       "']' after an array element."},
      {"deep", "program must be nested at most 256 deep, got more"},
      {"key_twice", "keys must be given once, got base_code twice"},
      {"magic", "\"magic\" of \"base_code\" must be \"pir\", got another"},
      {"version", "\"version\" of \"base_code\" must be from 0 to 4, got 99"},
      {"no_version",
       "\"version\" of \"base_code\" must be from 0 to 4, got none"},
      {"object_extent",
       "attribute shape: \"D\" must be a whole number, got object"},
      {"many_values",
       "parts of the program must be of at most 131072 values, got more"},
      {"many_keys", "keys of an object must be at most 1024, got more"},
      {"many_parts",
       "block 0, operator 0: operator must be of at most 65536 parts, got "
       "more"},
      {"no_block", "program must be of one main block, got 0"},
      {"no_name", "block 0, operator 3: \"#\" must be there, got none"},
      {"empty_name", "block 0, operator 3: \"#\" must be a name, got none"},
      {"name_number", "operator 3: \"#\" must be a text, got number"},
      {"operands", "operator 3: \"I\" must be a list, got object"},
      {"number", "operator 3: \"%\" must be a whole number, got number"},
      {"large_number", "\"%\" must be a number of 64 bits, got 18446744073709"},
      {"undefined",
       "block 0, operator 3, matmul: operand must be a value that is defined "
       "before, got 77"},
      {"defined_twice", "operator 4, add_: value must be defined once, got 4"},
      {"negative", "value must be a number over 0, got -4"},
      {"argument", "value must be a negative number, got 5"},
      {"extents", "extents must be a list, got number"},
      {"rank", "extents must be at most 9, got 10"},
      {"array_rank", "extents must be at most 8, got 9"},
      {"size", "got [1099511627776, 1099511627776]"},
      {"type_parts", "\"D\" must be an element type and extents, got 0 items"},
      {"parameter", "\"A\" must be three flags and a name, got 1 items"},
      {"dtype",
       "operator 2: attribute dtype: \"D\" must be the name of an element "
       "type, got float31"},
      {"not_finite", "\"VD\" must be INF, -INF or NAN, got string"},
      {"floating", "attribute bias: \"D\" must be a number, got string"},
      {"long_name", "\"D\" must be of at most 4096, got 5000 bytes"},
      {"lists", "types must be at most 8 deep, got more"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(ParseJsonProgram(Text(row.file)).status().message(),
                HasSubstr(row.text))
        << row.file;
  }
}

TEST(JsonProgramTest, RefusesWhatFollowsAndBytesThatAreNoText) {
  const std::string whole = Text("whole");
  EXPECT_THAT(ParseJsonProgram(whole + "{}").status().message(),
              HasSubstr("other text at offset"));
  EXPECT_THAT(
      ParseJsonProgram(whole + std::string(1, '\0') + "{}").status().message(),
      HasSubstr("at offset " + std::to_string(whole.size()) + ": a zero byte"));
  std::string other = whole;
  other[other.find("float32")] = '\xff';
  EXPECT_THAT(ParseJsonProgram(other).status().message(),
              HasSubstr("Invalid encoding in string."));
}

TEST(JsonProgramTest, CutOffAtEveryByte) {
  const std::string text = Text("whole");
  const size_t whole = text.rfind('}') + 1;
  for (size_t size = 0; size < whole; ++size) {
    EXPECT_FALSE(ParseJsonProgram(text.substr(0, size)).ok()) << size;
  }
  EXPECT_THAT(ParseJsonProgram(text.substr(0, whole)), IsOk());
}

}  // namespace
}  // namespace switchyard::static_graph
