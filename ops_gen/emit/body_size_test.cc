// SPDX-License-Identifier: Apache-2.0
// The functions that are generated for the operators of today: at most a dozen
// statements each. What needs more is hand-written code for them to call.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "ops_gen/emit/layers.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

constexpr int kMax = 12;

struct Function {
  std::string head;  // The last line of its signature.
  int statements = 0;
};

int Depth(const std::string& line) {
  return static_cast<int>(std::count(line.begin(), line.end(), '{') -
                          std::count(line.begin(), line.end(), '}'));
}

// The functions that are defined in generated text. A statement ends its line,
// and so does the head of a block.
std::vector<Function> FunctionsOf(const std::string& text) {
  std::vector<Function> functions;
  int depth = 0;  // Inside the function.
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (const std::string& line : lines) {
    if (depth > 0) {
      depth += Depth(line);
      const bool statement =
          absl::EndsWith(line, ";") || absl::EndsWith(line, "{");
      if (statement) ++functions.back().statements;
    } else if (absl::EndsWith(line, ") {") || absl::EndsWith(line, "const {")) {
      functions.push_back({line});
      depth = 1;
    }
  }
  return functions;
}

std::vector<Function> GeneratedFunctions(const Family& family) {
  std::vector<Function> all;
  for (const char* layer : {"signatures", "api", "eager", "dialect", "legacy",
                            "cpu_kernels", "reference_kernels"}) {
    const auto files = EmitLayer(layer, family);
    EXPECT_TRUE(files.ok()) << files.status();
    if (!files.ok()) continue;
    for (const GeneratedFile& file : *files) {
      for (const Function& function : FunctionsOf(file.text)) {
        all.push_back({file.name + ": " + function.head, function.statements});
      }
    }
  }
  return all;
}

TEST(BodySize, CountsStatements) {
  const std::vector<Function> functions = FunctionsOf(
      "struct A {\n  int b = 1;\n  int Get() const {\n    return b;\n  }\n};\n"
      "int F(int x,\n      int y) {\n  const int z[] = {x,\n                  "
      " y};\n  for (int i : z) {\n    Call(i);\n  }\n  return x;\n}\nint w;\n");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].statements, 1);
  EXPECT_EQ(functions[1].head, "      int y) {");
  EXPECT_EQ(functions[1].statements, 4);
}

TEST(BodySize, IsAtMostADozenStatements) {
  size_t functions = 0;
  for (const auto& entry : std::filesystem::directory_iterator("ops_gen/ops")) {
    const std::string path = entry.path().string();
    if (!absl::EndsWith(path, ".yaml")) continue;
    std::ifstream in(path, std::ios::binary);
    const auto family =
        ParseFamily(path, std::string(std::istreambuf_iterator<char>(in), {}));
    ASSERT_TRUE(family.ok()) << family.status();
    for (const Function& function : GeneratedFunctions(*family)) {
      ++functions;
      EXPECT_GT(function.statements, 0) << function.head;
      EXPECT_LE(function.statements, kMax) << function.head;
    }
  }
  EXPECT_GT(functions, 500u);
}

}  // namespace
}  // namespace switchyard::ops_gen
