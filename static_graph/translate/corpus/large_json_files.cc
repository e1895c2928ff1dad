// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/corpus/large_files.h"

namespace switchyard::static_graph {
namespace {

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

constexpr LargeFile kFiles[] = {
    {"chain of relu", ".json", kLoads, true, &JsonChain},
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

absl::Span<const LargeFile> LargeJsonPrograms() { return kFiles; }

}  // namespace switchyard::static_graph
