// SPDX-License-Identifier: Apache-2.0
// Every diagnostic of the parser and the verifier: each file testdata/fail_*.ir
// gives the error that its first line names, and no message of the sources is
// without such a file. Those that no text can produce are in verifier_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "static_graph/ir/parser.h"
#include "static_graph/ir/testing/test_dialect.h"
#include "static_graph/ir/testing/text_cases.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph::ir {
namespace {

constexpr char kFolder[] = "static_graph/ir/";
constexpr std::string_view kExpected = "// expected-error: ";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::filesystem::path> FailFiles() {
  std::vector<std::filesystem::path> files;
  const std::string folder = std::string(kFolder) + "testdata";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ExpectedError(const std::string& text) {
  if (text.rfind(kExpected, 0) != 0) return {};
  return text.substr(kExpected.size(), text.find('\n') - kExpected.size());
}

absl::Status Check(std::string_view text) {
  Context context;
  RegisterTestDialect(&context);
  const absl::StatusOr<Program> program = Parse(&context, text);
  return program.ok() ? Verify(*program) : program.status();
}

TEST(DiagnosticsTest, AreGivenAsEachFileExpects) {
  ASSERT_FALSE(FailFiles().empty());
  for (const std::filesystem::path& path : FailFiles()) {
    const std::string text = ReadFile(path);
    const std::string expected = ExpectedError(text);
    EXPECT_FALSE(expected.empty()) << path << " expects no error";
    EXPECT_EQ(path.filename().string().rfind("fail_", 0), 0u) << path;
    const absl::Status status = Check(text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
    EXPECT_NE(std::string(status.message()).find(expected), std::string::npos)
        << path << " gives:\n"
        << status.message();
  }
}

TEST(DiagnosticsTest, AreAllProduced) {
  std::string produced =
      Literals(ReadFile(std::string(kFolder) + "verifier_test.cc"));
  for (const std::filesystem::path& path : FailFiles()) {
    produced += ExpectedError(ReadFile(path)) + "\n";
  }
  int count = 0;
  for (const char* source : {"attribute_parser.cc", "builtin.cc", "lexer.cc",
                             "parser.cc", "segments.cc", "verifier.cc"}) {
    for (const std::string& message :
         Messages(ReadFile(kFolder + std::string(source)))) {
      EXPECT_NE(produced.find(message), std::string::npos)
          << source << ": no test expects \"" << message << "\"";
      ++count;
    }
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace switchyard::static_graph::ir
