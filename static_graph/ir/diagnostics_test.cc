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

// The string literals of a source, adjacent ones joined, as they are written.
std::vector<std::string> Literals(const std::string& source) {
  std::vector<std::string> literals;
  bool adjacent = false;  // Only blanks since the last literal.
  for (size_t at = 0; at < source.size(); ++at) {
    const char c = source[at];
    if (c == '/' && source[at + 1] == '/') {
      at = source.find('\n', at);
    } else if (c == '"' || c == '\'') {
      const size_t begin = at + 1;
      for (++at; source[at] != c; ++at) at += source[at] == '\\';
      if (c == '\'') continue;
      if (!adjacent) literals.emplace_back();
      literals.back() += source.substr(begin, at - begin);
      adjacent = true;
    } else if (c != ' ' && c != '\n') {
      adjacent = false;
    }
  }
  return literals;
}

// Those of several words: in these sources, parts of messages.
std::vector<std::string> Messages(const std::string& source) {
  std::vector<std::string> messages;
  for (std::string text : Literals(source)) {
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    if (text.size() > 8 && text.find(' ') != text.npos) {
      messages.push_back(text);
    }
  }
  return messages;
}

TEST(DiagnosticsTest, AreAllProduced) {
  std::string produced;
  for (const std::string& text :
       Literals(ReadFile(std::string(kFolder) + "verifier_test.cc"))) {
    produced += text + "\n";
  }
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
