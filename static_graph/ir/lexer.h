// SPDX-License-Identifier: Apache-2.0
// Lexer: the IR's text as tokens, with the place of each for messages. It
// never fails: what is no token is a token of kind kInvalid, which nothing
// expects. The grammar above it is in attribute_parser.h and parser.h.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_LEXER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_LEXER_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard::static_graph::ir {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,     // op.matmul, float32, inf
  kValue,    // %0, %x: `string` is the name without "%"
  kSymbol,   // @main, @"odd name": `string` is the name
  kString,   // "text": `string` is what it stands for
  kInteger,  // -5
  kReal,     // 0.5, 1e+30, -inf
  kHex,      // 0x00ff
  kSign,     // One of (){}[]<>=,:^?
  kInvalid,  // `string` says what is wrong with it.
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // As it stands in the source.
  std::string string;
  int line = 1;
  int column = 1;
};

// Looks at one token at a time. Comments run from "//" to the end of the line.
class Lexer {
 public:
  // `text` outlives the lexer.
  explicit Lexer(std::string_view text);

  const Token& token() const { return token_; }
  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool IsSign(char sign) const;
  bool IsWord(std::string_view word) const;
  // Moves on to the next token.
  void Advance();

  // Moves on if the token is this one; says whether it was.
  bool TakeSign(char sign);
  bool TakeWord(std::string_view word);
  // The same, but InvalidArgumentError if it is not.
  absl::Status ExpectSign(char sign);
  absl::Status ExpectWord(std::string_view word);
  // The token's `string`, and moves on.
  absl::StatusOr<std::string> ExpectString(std::string_view expected);

  // "line:column: expected <expected>, found <the token>".
  absl::Status Error(std::string_view expected) const;
  // "line:column: <message>", at the token given.
  static absl::Status ErrorAt(const Token& token, std::string_view message);

 private:
  char Peek(size_t ahead = 0) const;
  void Skip(size_t count);
  void SkipBlanks();
  void Take(TokenKind kind, size_t length);
  void Invalid(std::string_view message, size_t length);
  size_t WordLength(size_t from) const;
  void LexNumber();
  void LexString(TokenKind kind, size_t quote);
  void LexName(TokenKind kind);

  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
  int column_ = 1;
  Token token_;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_LEXER_H_
