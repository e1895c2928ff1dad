// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_program.h"

#include <limits>
#include <string>
#include <vector>

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

std::vector<std::string> Variables(const ReusedList<ForeignSlot>& slots) {
  EXPECT_EQ(slots.size(), 1u);
  EXPECT_EQ(slots[0].name, "");
  return {slots[0].variables.begin(), slots[0].variables.end()};
}

void ExpectValue(const ForeignOperator& op, const std::string& name,
                 AttrRef expected) {
  const ForeignAttr* const attr = op.attr(name);
  ASSERT_NE(attr, nullptr) << name;
  const absl::StatusOr<AttrRef> value = attr->Value();
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(Attribute(*value), Attribute(expected)) << name;
}

TEST(JsonProgramTest, ReadsOperatorsAndParameters) {
  const auto program = ParseJsonProgram(Text("whole"));
  ASSERT_THAT(program, IsOk());
  const JsonBlock& main = (*program)->blocks(0);
  ASSERT_EQ(main.ops_size(), 11);
  EXPECT_EQ((*program)->version(), 1);
  const ForeignOperator parameter = main.ops(1);
  EXPECT_EQ(parameter.type, kJsonParameter);
  ExpectValue(parameter, kParameterName, AttrRef("w"));
  const VariableFacts& weight = main.facts(main.IndexOf("2"));
  EXPECT_TRUE(weight.persistable);
  EXPECT_EQ((*program)->SpecOf(weight)->shape, (Shape{2, 3}));
  const ForeignOperator scale = main.ops(6);
  EXPECT_EQ(scale.type, "scale");
  EXPECT_EQ(main.TypeOf(6), "scale");
  EXPECT_EQ(Variables(scale.inputs), (std::vector<std::string>{"4", "6"}));
  EXPECT_EQ(Variables(scale.outputs), (std::vector<std::string>{"7"}));
  ExpectValue(scale, "bias", AttrRef(0.5f));
  EXPECT_EQ(scale.attr("scale"), nullptr);
  // 5 is float32 in old programs; a place says nothing here.
  const ForeignOperator full = main.ops(5);
  ExpectValue(full, "dtype", AttrRef(5));
  EXPECT_EQ(full.attr("place"), nullptr);
  EXPECT_FALSE(main.facts(main.IndexOf("6")).persistable);
}

TEST(JsonProgramTest, ReadsBlocksOfOperators) {
  const auto program = ParseJsonProgram(Text("blocks"));
  ASSERT_THAT(program, IsOk());
  const ForeignOperator loop = (*program)->blocks(0).ops(9);
  ASSERT_EQ(loop.blocks().size(), 1u);
  EXPECT_EQ(loop.blocks()[0], 1);
  const JsonBlock& block = (*program)->blocks(1);
  EXPECT_EQ(block.inputs()[0], "-1");
  EXPECT_EQ(block.IndexOf("-1"), 0);
  EXPECT_EQ(block.IndexOf("1x"), -1);
  ASSERT_EQ(block.ops_size(), 2);
  EXPECT_EQ(block.TypeOf(1), "cf.yield");
}

TEST(JsonProgramTest, Item13ReadsEveryKindOfAttributeAndType) {
  const auto program = ParseJsonProgram(Text("kinds"));
  ASSERT_THAT(program, IsOk());
  const JsonBlock& main = (*program)->blocks(0);
  const ForeignOperator op = main.ops(main.ops_size() - 1);
  EXPECT_EQ(Variables(op.inputs), (std::vector<std::string>{""}));
  const float infinity = std::numeric_limits<float>::infinity();
  ExpectValue(op, "a", AttrRef(-infinity));
  ExpectValue(op, "b", AttrRef(1.5));
  const std::string texts[] = {"x", "y"};
  ExpectValue(op, "c", AttrRef(absl::Span<const std::string>(texts)));
  const float floats[] = {1.5f};
  ExpectValue(op, "d", AttrRef(absl::Span<const float>(floats)));
  const int64_t ones[] = {1};
  ExpectValue(op, "e", AttrRef(absl::Span<const int64_t>(ones)));
  ExpectValue(op, "f", AttrRef(""));
  EXPECT_EQ(op.attr("g")->kind, ForeignKind::kNone);
  EXPECT_EQ(op.attr("g")->text(), "a_pointer");
  EXPECT_THAT(op.attr("g")->Value().status().message(),
              HasSubstr("attribute 'g' must be a number, a text or a list of "
                        "numbers, got a_pointer"));
  ExpectValue(op, "h", AttrRef(-1));
  EXPECT_EQ(op.attr("i")->text(), "a_array of several kinds");
  const double doubles[] = {1.5};
  ExpectValue(op, "j", AttrRef(absl::Span<const double>(doubles)));
  const auto facts = [&](const char* name) -> const VariableFacts& {
    return main.facts(main.IndexOf(name));
  };
  EXPECT_EQ(facts("20").kind, VariableKind::kOther);
  ASSERT_EQ(facts("21").kind, VariableKind::kTensorList);
  EXPECT_EQ((*program)->TensorsIn(facts("21")), 2u);
  EXPECT_EQ((*program)->TensorsIn(facts("22")), 1u);
  const auto array = (*program)->SpecOf(facts("22"));
  ASSERT_THAT(array, IsOk());
  EXPECT_EQ(array->kind, TensorKind::kTensorArray);
  EXPECT_EQ(array->shape, (Shape{Dim(), Dim(), 3}));
  EXPECT_EQ(facts("23").kind, VariableKind::kOther);
  EXPECT_THAT((*program)->SpecOf(facts("23")).status().message(),
              HasSubstr("variable '23' must be a tensor of a known element "
                        "type, got another"));
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
