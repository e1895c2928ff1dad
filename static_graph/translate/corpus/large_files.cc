// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/corpus/large_files.h"

#include <cstdint>
#include <string>
#include <vector>

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

// A dense float32 tensor.
std::string Tensor(const std::string& name,
                   const std::vector<int64_t>& extents) {
  std::string tensor = Number(1, 5);
  for (int64_t extent : extents) {
    tensor += Number(2, static_cast<uint64_t>(extent));
  }
  return Field(
      3, Field(1, name) + Field(2, Number(1, 7) + Field(3, Field(1, tensor))));
}

std::string Variable(const std::string& name) { return Tensor(name, {-1, 4}); }

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

// Nested blocks; the innermost reads many variables.
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

std::string Texts(const std::string& name,
                  const std::vector<std::string>& texts) {
  std::string attribute = Field(1, name) + Number(2, 5);
  for (const std::string& text : texts) attribute += Field(8, text);
  return Field(4, attribute);
}

// A recurrent operator whose block has no operators. Its result is its first
// input again, the steps of "x".
std::string Recurrent(const std::string& variables, const std::string& parts) {
  const std::string block =
      Field(4, Field(1, "sub_block") + Number(2, 8) + Number(12, 1));
  const std::string op =
      parts + Slot(2, "outputs", "x") + Field(3, "recurrent") + block;
  return Program(Variable("x") + variables + Field(4, op)) +
         Block(1, Tensor("x", {4}));
}

// One variable is very many inputs.
std::string RecurrentInputs(size_t size) {
  const std::string name(40, 'x');
  const std::string inputs =
      Field(1, "inputs") + Field(2, "x") + Repeated(size, Field(2, name));
  return Recurrent(Variable(name), Field(1, inputs));
}

// A chain of states: each step moves a state's value to the one before. The
// extent of the last one changes, and each translation of the loop learns that
// for one more state.
std::string RecurrentStates(size_t size) {
  const std::string name(80, 'x');
  std::string initial = Field(1, "initial_states");
  std::vector<std::string> before, after;
  while (initial.size() < size) {
    initial += Field(2, name);
    before.push_back(absl::StrCat("s", before.size()));
    after.push_back(absl::StrCat("s", before.size()));
  }
  after.back() = "x";
  return Recurrent(Tensor(name, {5}),
                   Slot(1, "inputs", "x") + Field(1, initial) +
                       Texts("ex_states", before) + Texts("states", after));
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
    {"inputs of a recurrent operator", ".pdmodel", kRefused, false,
     &RecurrentInputs},
    {"states of a recurrent operator", ".pdmodel", kRefused, false,
     &RecurrentStates},
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
};

}  // namespace

std::string Repeated(size_t size, const std::string& part) {
  std::string text;
  text.reserve(size + part.size());
  while (text.size() < size) text += part;
  return text;
}

absl::Span<const LargeFile> LargePrograms() { return kFiles; }

}  // namespace switchyard::static_graph
