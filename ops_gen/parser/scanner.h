// SPDX-License-Identifier: Apache-2.0
// Scanner: a cursor over one line of the grammar's own notation.
#ifndef SWITCHYARD_OPS_GEN_PARSER_SCANNER_H_
#define SWITCHYARD_OPS_GEN_PARSER_SCANNER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchyard::ops_gen {

// Returns `text` in single quotes, for errors.
std::string Quoted(std::string_view text);

// Returns `text` for functions of abseil, whose string_view is a type of its
// own.
inline absl::string_view Absl(std::string_view text) {
  return {text.data(), text.size()};
}

// "expected <expected>, got <got>".
absl::Status Unexpected(std::string_view expected, std::string_view got);

// Reads one line of the grammar's own notation (signatures, literals, kind
// lists). Spaces count: text that differs from what the printer would write is
// an error. Messages say what was expected and what stands there.
class Scanner {
 public:
  // Borrows `text`.
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  // Returns the text that is left.
  std::string_view rest() const { return text_.substr(at_); }

  // Steps over `token` if it stands here.
  bool Take(std::string_view token);
  // Steps over `token`, or says that it was expected.
  absl::Status Expect(std::string_view token);
  // A name: [a-z][a-z0-9_]*, in C++ any identifier if `any_case`.
  absl::StatusOr<std::string> Name(std::string_view what,
                                   bool any_case = false);
  // The characters before the first one of `ends` (or the end).
  std::string_view Until(std::string_view ends);
  // One string literal with its quotes, else Until(ends).
  std::string_view Item(std::string_view ends);
  // The end of the text, or "expected the end".
  absl::Status End();
  absl::Status Error(std::string_view expected) const;

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_SCANNER_H_
