// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/scanner.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace switchyard::ops_gen {

std::string Quoted(std::string_view text) {
  return absl::StrCat("'", Absl(text), "'");
}

absl::Status Unexpected(std::string_view expected, std::string_view got) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", Absl(expected), ", got ", Absl(got)));
}

bool Scanner::Take(std::string_view token) {
  if (rest().substr(0, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

absl::Status Scanner::Expect(std::string_view token) {
  if (Take(token)) return absl::OkStatus();
  return Error(Quoted(token));
}

absl::StatusOr<std::string> Scanner::Name(std::string_view what,
                                          bool any_case) {
  size_t size = 0;
  const std::string_view text = rest();
  while (size < text.size()) {
    const unsigned char c = text[size];
    const bool first = absl::ascii_islower(c) ||
                       (any_case && (absl::ascii_isupper(c) || c == '_'));
    const bool later = size > 0 && (absl::ascii_isdigit(c) || c == '_');
    if (!first && !later) break;
    ++size;
  }
  if (size == 0) return Error(what);
  at_ += size;
  return std::string(text.substr(0, size));
}

std::string_view Scanner::Until(std::string_view ends) {
  const std::string_view text = rest();
  const size_t size = std::min(text.find_first_of(ends), text.size());
  at_ += size;
  return text.substr(0, size);
}

std::string_view Scanner::Item(std::string_view ends) {
  const std::string_view text = rest();
  if (text.empty() || text[0] != '"') return Until(ends);
  const size_t close = text.find('"', 1);
  const size_t size = close == std::string_view::npos ? text.size() : close + 1;
  at_ += size;
  return text.substr(0, size);
}

absl::Status Scanner::End() {
  return done() ? absl::OkStatus() : Error("the end of the text");
}

absl::Status Scanner::Error(std::string_view expected) const {
  return Unexpected(expected,
                    done() ? "the end of the text"
                           : absl::StrCat("'", std::string(rest()), "'"));
}

}  // namespace switchyard::ops_gen
