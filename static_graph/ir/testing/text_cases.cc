// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/testing/text_cases.h"

#include <algorithm>

namespace switchyard::static_graph::ir {
namespace {

constexpr std::string_view kCase = "=== ";
constexpr std::string_view kAnswer = "--- ";
constexpr std::string_view kProgram = "program @p {\n";
constexpr std::string_view kProgramEnd = "}\n";

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

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(TakeLine(&text));
  return lines;
}

// How many lines of a printed program stand before the operations of its entry:
// its name and the arguments, of which the last line ends in "):".
size_t HeadSize(const std::vector<std::string_view>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.size() > 2 && line.substr(line.size() - 2) == "):") return i + 1;
  }
  return 0;
}

}  // namespace

std::string WholeProgram(std::string_view input) {
  if (BeginsWith(input, "program")) return std::string(input);
  return std::string(kProgram) + std::string(input) + std::string(kProgramEnd);
}

std::string ChangedEnd(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = Lines(before);
  const std::vector<std::string_view> lines = Lines(after);
  // The last line closes the program.
  const size_t most = std::min(old_lines.size(), lines.size()) - 1;
  size_t same = 0;
  while (same < most && lines[same] == old_lines[same]) ++same;
  const size_t head = HeadSize(lines);
  const size_t shown = same < head ? 1 : same;  // Arguments are shown whole.
  const size_t count = shown - std::min(shown, head);
  std::string result =
      "after " + std::to_string(count) + (count == 1 ? " line\n" : " lines\n");
  for (size_t i = shown; i + 1 < lines.size(); ++i) {
    result += std::string(lines[i]) + "\n";
  }
  return result;
}

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
    } else if (BeginsWith(line, kAnswer) && part != nullptr && !answers) {
      part = &cases.back().answer;
      *part = std::string(line.substr(kAnswer.size())) + "\n";
    } else if (part == nullptr || BeginsWith(line, kAnswer) ||
               BeginsWith(line, kCase)) {
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
              std::string(kAnswer) + answer(one);
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
