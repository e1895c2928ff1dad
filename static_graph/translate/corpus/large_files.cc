// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/corpus/large_files.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// Protobuf's wire format: fields of a number and contents.
std::string Varint(uint64_t number) {
  constexpr uint64_t kMore = 0x80;
  std::string bytes;
  for (; number >= kMore; number >>= 7) {
    bytes += static_cast<char>(number | kMore);
  }
  return bytes + static_cast<char>(number);
}

std::string Field(int number, const std::string& contents) {
  constexpr uint64_t kBytes = 2;
  return absl::StrCat(Varint(static_cast<uint64_t>(number) << 3 | kBytes),
                      Varint(contents.size()), contents);
}

std::string Number(int number, uint64_t value) {
  return Varint(static_cast<uint64_t>(number) << 3) + Varint(value);
}

std::string Block(uint64_t number, const std::string& contents) {
  return Field(
      1, absl::StrCat(Number(1, number), Number(2, number - 1), contents));
}

// A program of one block.
std::string Program(const std::string& contents) { return Block(0, contents); }

// A dense float32 tensor of any extents [-1, 4].
std::string Variable(const std::string& name) {
  const std::string tensor =
      Number(1, 5) + Number(2, ~uint64_t{0}) + Number(2, 4);
  return Field(
      3, Field(1, name) + Field(2, Number(1, 7) + Field(3, Field(1, tensor))));
}

// A parameter of the least description.
std::string Parameter(const std::string& name) {
  const std::string tensor = Field(1, Number(1, 5));
  return Field(3, Field(1, name) + Field(2, Number(1, 7) + Field(3, tensor)) +
                      Number(3, 1));
}

std::string Slot(int direction, const std::string& slot,
                 const std::string& variable) {
  return Field(direction, Field(1, slot) + Field(2, variable));
}

std::string Call(const std::string& type, const std::string& input,
                 const std::string& output) {
  return Field(4,
               Slot(1, "X", input) + Slot(2, "Out", output) + Field(3, type));
}

// Variables and a chain of relu.
std::string Chain(size_t size) {
  std::string contents = Variable("x");
  std::string last = "x";
  for (int i = 0; contents.size() < size; ++i) {
    const std::string next = absl::StrCat("v", i);
    contents += Variable(next) + Call("relu", last, next);
    last = next;
  }
  return Program(contents);
}

// Calls of relu on one variable.
std::string Calls(size_t size) {
  std::string contents = Variable("x") + Variable("y");
  const std::string call = Call("relu", "y", "y");
  contents += Call("relu", "x", "y");
  while (contents.size() < size) contents += call;
  return Program(contents);
}

// Calls of relu whose results nothing describes.
std::string CallsWithNames(size_t size) {
  std::string contents = Variable("x");
  for (int i = 0; contents.size() < size; ++i) {
    contents += Call("relu", "x", absl::StrCat("v", i));
  }
  return Program(contents);
}

// Many fetches of one variable.
std::string Fetches(size_t size) {
  std::string contents = Variable("x") + Variable("y") + Call("relu", "x", "y");
  for (int i = 0; contents.size() < size; ++i) {
    const std::string column =
        Field(4, Field(1, "col") + Number(2, 0) + Number(3, i));
    contents += Field(4, Slot(1, "X", "y") + Field(3, "fetch") + column);
  }
  return Program(contents);
}

std::string Persistable(size_t size) {
  std::string contents;
  for (int i = 0; contents.size() < size; ++i) {
    contents += Parameter(absl::StrCat("v", i));
  }
  return Program(contents);
}

// Tensors each of which has a type of its own.
std::string Fillings(size_t size) {
  std::string contents = Variable("y");
  for (int i = 1; contents.size() < size; ++i) {
    const std::string shape =
        Field(4, Field(1, "shape") + Number(2, 3) + Number(6, i));
    contents +=
        Field(4, Slot(2, "Out", "y") + Field(3, "fill_constant") + shape);
  }
  return Program(contents);
}

// Blocks in blocks, of which the innermost reads many variables.
std::string Nested(size_t size) {
  constexpr int kDepth = 30;
  std::string program;
  for (int block = 0; block < kDepth; ++block) {
    const std::string inner =
        Field(4, Field(1, "sub_block") + Number(2, 8) + Number(12, block + 1));
    const std::string run =
        Field(4, Slot(1, "Cond", "c") + Field(3, "conditional_block") + inner);
    program += Block(block, run);
  }
  std::string contents;
  for (int i = 0; contents.size() < size; ++i) {
    contents += Call("relu", absl::StrCat("v", i), "y");
  }
  return program + Block(kDepth, contents);
}

// Variables without extents and no operators.
std::string Variables(size_t size) {
  std::string contents;
  for (int i = 0; contents.size() < size; ++i) {
    const std::string tensor = Field(2, Number(1, 7) + Field(3, ""));
    contents += Field(3, Field(1, absl::StrCat("v", i)) + tensor);
  }
  return Program(contents);
}

// `part` over and over.
std::string Repeated(size_t size, const std::string& part) {
  std::string text;
  text.reserve(size + part.size());
  while (text.size() < size) text += part;
  return text;
}

std::string UnknownTypes(size_t size) {
  return Program(Repeated(size, Field(4, Field(3, "abc"))));
}

std::string ManyUnknownTypes(size_t size) {
  std::string contents;
  for (int i = 0; contents.size() < size; ++i) {
    contents += Field(4, Field(3, absl::StrCat("a", i)));
  }
  return Program(contents);
}

std::string WithoutTypes(size_t size) {
  return Program(Repeated(size, Field(4, "")));
}

// One operator of many empty parts.
std::string Slots(size_t size) {
  return Program(Field(4, Field(3, "sum") + Repeated(size, Field(1, ""))));
}

std::string Arguments(size_t size) {
  const std::string slot = Field(1, "X") + Repeated(size, Field(2, ""));
  return Program(Field(4, Field(3, "sum") + Field(1, slot)));
}

std::string Attributes(size_t size) {
  return Program(Field(4, Field(3, "sum") + Repeated(size, Field(4, ""))));
}

// A packed list of numbers, a byte each.
std::string Numbers(size_t size) {
  const std::string list =
      Field(1, "shape") + Number(2, 3) + Field(6, std::string(size, 1));
  return Program(Field(4, Field(3, "fill_constant") + Field(4, list)));
}

std::string Versions(size_t size) {
  return Program("") + Field(5, Repeated(size, Field(1, "")));
}

std::string Json(const std::string& operators) {
  return absl::StrCat(
      R"({"base_code":{"magic":"pir","version":1},"program":{"regions":[)"
      R"({"blocks":[{"args":[],"ops":[)",
      operators, "]}]}]}}");
}

constexpr char kTensor[] =
    R"("TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[4]]})";

std::string JsonChain(size_t size) {
  std::string operators = absl::StrCat(
      R"({"#":"1.data","A":[{"N":"name","AT":{"#":"0.a_str","D":"x"}}],)",
      R"("I":[],"O":[{"%":1,)", kTensor, "}]}");
  for (int i = 1; operators.size() < size; ++i) {
    absl::StrAppend(&operators, R"(,{"#":"1.relu","A":[],"I":[{"%":)", i,
                    R"(}],"O":[{"%":)", i + 1, ",", kTensor, "}]}");
  }
  return Json(operators);
}

// `operators`, one too many comma left out.
std::string JsonOf(std::string operators) {
  operators.pop_back();
  return Json(operators);
}

std::string JsonCalls(size_t size) {
  return JsonOf(Repeated(size, R"({"#":"1.abc","A":[],"I":[],"O":[]},)"));
}

std::string JsonResults(size_t size) {
  std::string operators;
  for (int i = 1; operators.size() < size; ++i) {
    absl::StrAppend(&operators, R"({"#":"1.abc","A":[],"I":[],"O":[{"%":)", i,
                    R"(,"TT":{"#":"NULL"}}]},)");
  }
  return JsonOf(operators);
}

std::string JsonParameters(size_t size) {
  std::string operators;
  for (int i = 1; operators.size() < size; ++i) {
    absl::StrAppend(&operators, R"({"#":"p","A":[0,1,1,"v)", i,
                    R"("],"DA":[],"O":{"%":)", i, ",", kTensor, "}},");
  }
  return JsonOf(operators);
}

// Operators that take a long list each.
std::string JsonLists(size_t size) {
  constexpr int kItems = 50'000;
  std::string types = Repeated(kItems * 15, R"({"#":"0.t_abc"},)");
  types.pop_back();
  std::string operators = absl::StrCat(
      R"({"#":"1.abc","A":[],"I":[],"O":[{"%":1,"TT":{"#":"0.t_vec","D":[)",
      types, "]}}]},");
  operators +=
      Repeated(size, R"({"#":"1.add_n","A":[],"I":[{"%":1}],"O":[]},)");
  return JsonOf(operators);
}

// One operator of many parts, which `begin` and `end` are around.
std::string JsonParts(const std::string& begin, size_t size,
                      const std::string& part, const std::string& end) {
  std::string parts = Repeated(size, part);
  parts.pop_back();
  return Json(absl::StrCat(begin, parts, end));
}

std::string JsonNumbersForAttributes(size_t size) {
  return JsonParts(R"({"#":"1.abc","I":[],"O":[],"A":[)", size, "1,", "]}");
}

std::string JsonBlocks(size_t size) {
  return JsonParts(
      R"({"#":"1.abc","A":[],"I":[],"O":[],"regions":[{"blocks":[)", size,
      "{},", "]}]}");
}

std::string JsonEmptyAttributes(size_t size) {
  return JsonParts(R"({"#":"1.abc","I":[],"O":[],"A":[)", size, "{},", "]}");
}

std::string JsonAttributes(size_t size) {
  return JsonParts(R"({"#":"1.abc","I":[],"O":[],"A":[)", size,
                   R"({"N":"a","AT":{"#":"NULL"}},)", "]}");
}

std::string JsonExtents(size_t size) {
  return JsonParts(
      R"({"#":"1.abc","I":[],"O":[],"A":[{"N":"a","AT":{"#":"a_intarray","D":[)",
      size, "1,", "]}}]}");
}

// A long table of constants, which is sound, of no operator of ours.
std::string JsonConstants(size_t size) {
  return JsonParts(
      R"({"#":"1.abc","I":[],"O":[],"A":[{"N":"a","AT":{"#":"a_array","D":[)",
      size, R"({"#":"0.a_i64","D":1},)", "]}}]}");
}

std::string JsonTexts(size_t size) {
  return JsonParts(
      R"({"#":"1.abc","I":[],"O":[],"A":[{"N":"a","AT":{"#":"a_array","D":[)",
      size, R"({"#":"NULL"},)", "]}}]}");
}

std::string JsonOperands(size_t size) {
  return JsonParts(R"({"#":"1.abc","A":[],"O":[],"I":[)", size, R"({"%":0},)",
                   "]}");
}

// A member that no program has.
std::string JsonOthers(size_t size) {
  return JsonParts(R"({"#":"1.abc","I":[],"O":[],"A":[],"X":[)", size, "{},",
                   "]}");
}

constexpr LargeEnd kRefused = LargeEnd::kRefused;
constexpr LargeEnd kLoads = LargeEnd::kLoads;
constexpr LargeEnd kLoadsSmall = LargeEnd::kLoadsSmall;

constexpr LargeFile kFiles[] = {
    {"chain of relu", ".pdmodel", kLoadsSmall, false, &Chain},
    {"calls of relu on one variable", ".pdmodel", kLoadsSmall, true, &Calls},
    {"calls of relu, results of own names", ".pdmodel", kRefused, true,
     &CallsWithNames},
    {"fetches", ".pdmodel", kRefused, false, &Fetches},
    {"variables without operators", ".pdmodel", kLoads, false, &Variables},
    {"persistable variables", ".pdmodel", kRefused, false, &Persistable},
    {"fillings of shapes of their own", ".pdmodel", kRefused, true, &Fillings},
    {"names in nested blocks", ".pdmodel", kRefused, false, &Nested},
    {"operators of an unknown type", ".pdmodel", kRefused, false,
     &UnknownTypes},
    {"operators of many unknown types", ".pdmodel", kRefused, false,
     &ManyUnknownTypes},
    {"operators without a type", ".pdmodel", kRefused, false, &WithoutTypes},
    {"an operator of empty slots", ".pdmodel", kRefused, false, &Slots},
    {"an operator of empty arguments", ".pdmodel", kRefused, false, &Arguments},
    {"an operator of empty attributes", ".pdmodel", kRefused, false,
     &Attributes},
    {"an operator of small numbers", ".pdmodel", kRefused, false, &Numbers},
    {"a table of empty versions", ".pdmodel", kRefused, false, &Versions},
    {"chain of relu", ".json", kLoadsSmall, true, &JsonChain},
    {"operators of an unknown name", ".json", kRefused, false, &JsonCalls},
    {"operators with results", ".json", kRefused, false, &JsonResults},
    {"parameters", ".json", kRefused, false, &JsonParameters},
    {"blocks without operators", ".json", kRefused, false, &JsonBlocks},
    {"operands of long lists", ".json", kRefused, false, &JsonLists},
    {"an operator of numbers", ".json", kRefused, false,
     &JsonNumbersForAttributes},
    {"an operator of empty attributes", ".json", kRefused, false,
     &JsonEmptyAttributes},
    {"an operator of small attributes", ".json", kRefused, false,
     &JsonAttributes},
    {"an operator of extents", ".json", kRefused, false, &JsonExtents},
    {"an operator of constants", ".json", kRefused, false, &JsonConstants},
    {"an operator of texts", ".json", kRefused, false, &JsonTexts},
    {"an operator of operands", ".json", kRefused, false, &JsonOperands},
    {"an operator of other parts", ".json", kRefused, false, &JsonOthers},
};

}  // namespace

absl::Span<const LargeFile> LargeFiles() { return kFiles; }

}  // namespace switchyard::static_graph
