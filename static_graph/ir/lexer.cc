// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/lexer.h"

#include <optional>

#include "absl/strings/cord.h"
#include "static_graph/ir/identifier.h"

namespace switchyard::static_graph::ir {
namespace {

constexpr std::string_view kSigns = "(){}[]<>=,:^?";
constexpr size_t kMaxQuoted = 40;
// The payload of a status that says where in the text it is.
constexpr char kPlaced[] = "switchyard/placed";

std::optional<int> HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) { Advance(); }

char Lexer::Peek(size_t ahead) const {
  const size_t at = position_ + ahead;
  return at < text_.size() ? text_[at] : '\0';
}

void Lexer::Skip(size_t count) {
  for (; count > 0; --count, ++position_) {
    if (text_[position_] == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
  }
}

void Lexer::SkipBlanks() {
  while (position_ < text_.size()) {
    const char c = Peek();
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      Skip(1);
    } else if (c == '/' && Peek(1) == '/') {
      while (position_ < text_.size() && Peek() != '\n') Skip(1);
    } else {
      return;
    }
  }
}

void Lexer::Take(TokenKind kind, size_t length) {
  token_.kind = kind;
  token_.text = text_.substr(position_, length);
  Skip(token_.text.size());
}

void Lexer::Invalid(std::string_view message, size_t length) {
  Take(TokenKind::kInvalid, length);
  token_.string = std::string(message);
}

size_t Lexer::WordLength(size_t from) const {
  size_t length = 0;
  while (IsIdentifierChar(Peek(from + length))) ++length;
  return length;
}

void Lexer::Advance() {
  SkipBlanks();
  token_ = Token();
  token_.line = line_;
  token_.column = column_;
  const char c = Peek();
  if (position_ >= text_.size()) {
    token_.kind = TokenKind::kEnd;
  } else if (IsIdentifierStart(c)) {
    Take(TokenKind::kWord, WordLength(0));
  } else if (IsDigit(c) || c == '-') {
    LexNumber();
  } else if (c == '"') {
    LexString(TokenKind::kString, 0);
  } else if (c == '@' && Peek(1) == '"') {
    LexString(TokenKind::kSymbol, 1);
  } else if (c == '%' || c == '@') {
    LexName(c == '%' ? TokenKind::kValue : TokenKind::kSymbol);
  } else if (kSigns.find(c) != std::string_view::npos) {
    Take(TokenKind::kSign, 1);
  } else {
    Invalid("a character that means nothing here", 1);
  }
}

// %name, %12, @name.
void Lexer::LexName(TokenKind kind) {
  const size_t length = WordLength(1);
  const std::string_view name = text_.substr(position_ + 1, length);
  const bool number = kind == TokenKind::kValue && !name.empty() &&
                      name.find_first_not_of("0123456789") == name.npos;
  if (!number && !IsIdentifier(name)) {
    Invalid("a name that is no identifier", length + 1);
    return;
  }
  Take(kind, length + 1);
  token_.string = std::string(name);
}

void Lexer::LexNumber() {
  if (Peek() == '0' && Peek(1) == 'x') {
    size_t length = 2;
    while (HexValue(Peek(length)).has_value()) ++length;
    Take(TokenKind::kHex, length);
    return;
  }
  size_t length = Peek() == '-' ? 1 : 0;
  if (length == 1 && text_.substr(position_, 4) == "-inf") {
    Take(TokenKind::kReal, 4);
    return;
  }
  const auto digits = [&] {
    const size_t begin = length;
    while (IsDigit(Peek(length))) ++length;
    return length > begin;
  };
  if (!digits()) {
    Invalid("a sign without a number", length);
    return;
  }
  TokenKind kind = TokenKind::kInteger;
  if (Peek(length) == '.') {
    kind = TokenKind::kReal;
    ++length;
    digits();
  }
  if (Peek(length) == 'e') {
    kind = TokenKind::kReal;
    ++length;
    if (Peek(length) == '+' || Peek(length) == '-') ++length;
    if (!digits()) {
      Invalid("a number without its exponent", length);
      return;
    }
  }
  Take(kind, length);
}

// `quote` characters stand before the opening quote.
void Lexer::LexString(TokenKind kind, size_t quote) {
  std::string value;
  size_t at = quote + 1;
  while (true) {
    const char c = Peek(at);
    if (position_ + at >= text_.size() || c == '\n') {
      Invalid("a string without its end", at);
      return;
    }
    ++at;
    if (c == '"') break;
    if (c != '\\') {
      value += c;
      continue;
    }
    const char escape = Peek(at++);
    const std::optional<int> high = HexValue(Peek(at));
    const std::optional<int> low = HexValue(Peek(at + 1));
    if (escape == 'n') {
      value += '\n';
    } else if (escape == 't') {
      value += '\t';
    } else if (escape == '"' || escape == '\\') {
      value += escape;
    } else if (escape == 'x' && high.has_value() && low.has_value()) {
      value += static_cast<char>(*high * 16 + *low);
      at += 2;
    } else {
      Invalid("a string with an unknown escape", at);
      return;
    }
  }
  Take(kind, at);
  token_.string = std::move(value);
}

bool Lexer::IsSign(char sign) const {
  return token_.kind == TokenKind::kSign && token_.text[0] == sign;
}

bool Lexer::IsWord(std::string_view word) const {
  return token_.kind == TokenKind::kWord && token_.text == word;
}

bool Lexer::TakeSign(char sign) {
  if (!IsSign(sign)) return false;
  Advance();
  return true;
}

bool Lexer::TakeWord(std::string_view word) {
  if (!IsWord(word)) return false;
  Advance();
  return true;
}

absl::Status Lexer::ExpectSign(char sign) {
  if (TakeSign(sign)) return absl::OkStatus();
  return Error(std::string("'") + sign + "'");
}

absl::Status Lexer::ExpectWord(std::string_view word) {
  if (TakeWord(word)) return absl::OkStatus();
  return Error("'" + std::string(word) + "'");
}

absl::StatusOr<std::string> Lexer::ExpectString(std::string_view expected) {
  if (!Is(TokenKind::kString)) return Error(expected);
  std::string value = token_.string;
  Advance();
  return value;
}

absl::Status Lexer::Error(std::string_view expected) const {
  std::string found = "the end of the text";
  if (token_.kind == TokenKind::kInvalid) {
    found = token_.string;
  } else if (token_.kind != TokenKind::kEnd) {
    const bool is_long = token_.text.size() > kMaxQuoted;
    found = "'" + std::string(token_.text.substr(0, kMaxQuoted)) +
            (is_long ? "...'" : "'");
  }
  return ErrorAt(token_,
                 "expected " + std::string(expected) + ", found " + found);
}

absl::Status Lexer::ErrorAt(const Token& token, std::string_view message) {
  absl::Status status = absl::InvalidArgumentError(
      std::to_string(token.line) + ":" + std::to_string(token.column) + ": " +
      std::string(message));
  status.SetPayload(kPlaced, absl::Cord());
  return status;
}

absl::Status Lexer::Placed(const Token& token, const absl::Status& status) {
  if (status.ok() || status.GetPayload(kPlaced).has_value()) return status;
  return ErrorAt(token, std::string(status.message()));
}

}  // namespace switchyard::static_graph::ir
