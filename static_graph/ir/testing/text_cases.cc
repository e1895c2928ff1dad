// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/testing/text_cases.h"

#include <algorithm>

namespace switchyard::static_graph::ir {
namespace {

constexpr std::string_view kCase = "=== ";
constexpr std::string_view kAnswer = "---";

bool BeginsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Takes the first line off `text`, without its end.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

std::vector<std::string> LiteralsOf(std::string_view source) {
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

}  // namespace

absl::StatusOr<std::vector<TextCase>> ParseCases(std::string_view file) {
  std::vector<TextCase> cases;
  std::string* part = nullptr;  // Where lines go.
  for (int number = 1; !file.empty(); ++number) {
    const std::string_view line = TakeLine(&file);
    const bool answers = !cases.empty() && part == &cases.back().answer;
    if (BeginsWith(line, kCase) && (part == nullptr || answers)) {
      const std::string_view name = line.substr(kCase.size());
      cases.push_back({std::string(name), "", ""});
      part = &cases.back().input;
    } else if (line == kAnswer && part != nullptr && !answers) {
      part = &cases.back().answer;
    } else if (part == nullptr || line == kAnswer || BeginsWith(line, kCase)) {
      return ArgumentError("line " + std::to_string(number),
                           "part of a case of \"===\" and \"---\"", line);
    } else {
      *part += std::string(line) + "\n";
    }
  }
  if (!cases.empty() && part != &cases.back().answer) {
    return ArgumentError("case " + cases.back().name, "ended by \"---\"",
                         "the end of the file");
  }
  return cases;
}

std::string Answered(std::string_view file,
                     absl::FunctionRef<std::string(const TextCase&)> answer) {
  const absl::StatusOr<std::vector<TextCase>> cases = ParseCases(file);
  if (!cases.ok()) {
    return std::string(file) +
           "error: " + std::string(cases.status().message()) + "\n";
  }
  std::string result;
  for (const TextCase& one : *cases) {
    result += std::string(kCase) + one.name + "\n" + one.input +
              std::string(kAnswer) + "\n" + answer(one);
  }
  return result;
}

std::vector<std::string> Messages(std::string_view source) {
  std::vector<std::string> messages;
  for (std::string text : LiteralsOf(source)) {
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    if (text.size() > 8 && text.find(' ') != text.npos) {
      messages.push_back(text);
    }
  }
  return messages;
}

std::string Literals(std::string_view source) {
  std::string joined;
  for (const std::string& text : LiteralsOf(source)) joined += text + "\n";
  return joined;
}

}  // namespace switchyard::static_graph::ir
