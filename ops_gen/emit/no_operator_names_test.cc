// SPDX-License-Identifier: Apache-2.0
// Emitters get from data what varies by operator: none spells an operator's
// name, be it by itself or in a generated symbol. Only literals count; the
// language of the emitters themselves and comments may use the same words.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kFolder[] = "ops_gen/emit";

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The string literals of a source, comments and includes left out.
std::vector<std::string> Literals(const std::string& source) {
  std::vector<std::string> literals;
  for (absl::string_view line : absl::StrSplit(source, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.substr(0, 2) == "//" || line.substr(0, 1) == "#") continue;
    bool inside = false;
    std::string literal;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
        literal.push_back(' ');
      } else if (line[i] == '"') {
        if (inside) literals.push_back(literal);
        literal.clear();
        inside = !inside;
      } else if (inside) {
        literal.push_back(line[i]);
      }
    }
  }
  return literals;
}

// The identifiers in a text.
std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || c == '_') {
      words.back().push_back(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

TEST(Emitters, SpellNoOperatorsName) {
  std::set<std::string> forbidden;
  for (const absl::string_view line : absl::StrSplit(
           Read("ops_gen/emit/operators.txt"), '\n', absl::SkipEmpty())) {
    const std::string name(line);
    for (const char* prefix :
         {"", "eager_", "info_", "grad_map_", "kernels_", "dialect_"}) {
      forbidden.insert(prefix + name);
    }
  }
  forbidden.erase("complex");  // A type of C++ and Python, too.
  ASSERT_GE(forbidden.size(), 300u);
  // Words of sentences too (doc_text.h).
  forbidden.erase("all");
  forbidden.erase("shape");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string path = entry.path().string();
    const std::string extension = entry.path().extension().string();
    if ((extension != ".cc" && extension != ".h") ||
        path.find("_test.cc") != std::string::npos) {
      continue;
    }
    ++files;
    for (const std::string& literal : Literals(Read(path))) {
      for (const std::string& word : Words(literal)) {
        EXPECT_EQ(forbidden.count(word), 0u)
            << path << ": \"" << literal << "\" names " << word;
      }
    }
  }
  EXPECT_GE(files, 20);
}

}  // namespace
}  // namespace switchyard::ops_gen
