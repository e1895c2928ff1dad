// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/corpus/error_texts.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "framework/base/file.h"

namespace switchyard {
namespace {

bool IsWordEnd(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         text.substr(text.size() - word.size()) == word;
}

// Goes through the arguments of a call, from after its parenthesis.
class Arguments {
 public:
  explicit Arguments(std::string_view source) : source_(source) {}

  ErrorText Read() {
    for (int depth = 1; at_ < source_.size() && depth > 0;) {
      const char c = source_[at_];
      if (c == '"') {
        ReadLiteral();
        continue;
      }
      if (c == '\'') {  // A character may be a quote or a parenthesis.
        const bool escaped = source_.substr(at_ + 1, 1) == "\\";
        const size_t end = source_.find('\'', at_ + (escaped ? 3 : 2));
        at_ = end == std::string_view::npos ? source_.size() : end + 1;
        last_ = nullptr;
        continue;
      }
      if (source_.substr(at_, 2) == "::") {
        at_ += 2;
        last_ = nullptr;
        continue;
      }
      if (c == '?') branches_ = std::min(branches_, depth);
      if (c == '(') ++depth;
      if (c == ')') --depth;
      // The branches of a ?: end with the argument that they are.
      if (depth < branches_ || (c == ',' && depth == branches_)) {
        branches_ = kNone;
      }
      if (std::isspace(static_cast<unsigned char>(c)) == 0) last_ = nullptr;
      ++at_;
    }
    return std::move(text_);
  }

 private:
  static constexpr int kNone = std::numeric_limits<int>::max();

  void ReadLiteral() {
    std::string literal;
    for (++at_; at_ < source_.size() && source_[at_] != '"'; ++at_) {
      if (source_[at_] == '\\') ++at_;
      literal += source_[at_];
    }
    ++at_;
    if (last_ != nullptr) {
      *last_ += literal;
      return;
    }
    auto& list = branches_ == kNone ? text_.always : text_.either;
    last_ = &list.emplace_back(literal);
  }

  std::string_view source_;
  ErrorText text_;
  size_t at_ = 0;
  int branches_ = kNone;  // The depth of the ?: around.
  // The literal before, if but space was between.
  std::string* last_ = nullptr;
};

bool Has(const std::string& message, const std::string& literal) {
  return message.find(literal) != std::string::npos;
}

// Whether a message has all literals, and this one.
bool IsSaid(absl::Span<const std::string> messages,
            const std::vector<std::string>& literals,
            const std::string& another) {
  return std::any_of(messages.begin(), messages.end(),
                     [&](const std::string& message) {
                       return Has(message, another) &&
                              std::all_of(literals.begin(), literals.end(),
                                          [&](const std::string& literal) {
                                            return Has(message, literal);
                                          });
                     });
}

}  // namespace

std::vector<ErrorText> ErrorTexts(std::string_view source) {
  std::vector<ErrorText> texts;
  for (size_t at = source.find('('); at != std::string_view::npos;
       at = source.find('(', at + 1)) {
    const std::string_view before = source.substr(0, at);
    if (!IsWordEnd(before, "Error") && !IsWordEnd(before, "Damaged")) continue;
    ErrorText text = Arguments(source.substr(at + 1)).Read();
    if (text.always.empty() && text.either.empty()) continue;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> TextsWithoutMessage(
    absl::Span<const std::string> files,
    absl::Span<const std::string> messages) {
  std::vector<std::string> missing;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> source = ReadFile(file);
    if (!source.ok()) {
      missing.push_back(std::string(source.status().message()));
      continue;
    }
    for (ErrorText& text : ErrorTexts(*source)) {
      if (text.either.empty()) text.either.emplace_back();
      for (const std::string& one : text.either) {
        if (IsSaid(messages, text.always, one)) continue;
        missing.push_back(file + ": ");
        for (const std::string& part : text.always) {
          missing.back() += part + "|";
        }
        missing.back() += one;
      }
    }
  }
  return missing;
}

std::vector<std::string> ReadCorpus(const std::string& folder,
                                    const std::string& prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().rfind(prefix, 0) == 0) {
      paths.push_back(entry->path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> contents;
  for (const std::string& path : paths) {
    contents.push_back(ReadFile(path).value_or(""));
  }
  return contents;
}

}  // namespace switchyard
