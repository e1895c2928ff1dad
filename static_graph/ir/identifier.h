// SPDX-License-Identifier: Apache-2.0
// Identifiers: which names the IR's text writes without quotes.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_IDENTIFIER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_IDENTIFIER_H_

#include <string>
#include <string_view>

namespace switchyard::static_graph::ir {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr bool IsIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool IsIdentifierChar(char c) {
  return IsIdentifierStart(c) || IsDigit(c) || c == '.';
}

// Returns true for letters, digits, "_" and "." that begin with a letter or
// "_".
constexpr bool IsIdentifier(std::string_view text) {
  if (text.empty() || !IsIdentifierStart(text[0])) return false;
  for (char c : text) {
    if (!IsIdentifierChar(c)) return false;
  }
  return true;
}

// Returns true for "dialect.name".
constexpr bool IsOpName(std::string_view text) {
  return IsIdentifier(text) && text.find('.') != text.npos;
}

// Returns `text` in double quotes: \" \\ \n \t, and \xHH for other control
// characters; all other bytes as they are.
std::string Quote(std::string_view text);

// Returns `name` as it is if it is an identifier, quoted otherwise.
std::string IdentifierOrQuoted(std::string_view name);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_IDENTIFIER_H_
