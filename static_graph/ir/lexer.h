// SPDX-License-Identifier: Apache-2.0
// Lexer: the IR's text as tokens. The grammar above it is in attribute_parser.h
// and parser.h.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_LEXER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_LEXER_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard::static_graph::ir {

// The kinds of tokens.
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

// One token of the text and where it stands.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // As it stands in the source.
  std::string string;
  int line = 1;
  int column = 1;
};

// Reads the IR's text as tokens, each with its line and column for messages;
// looks at one token at a time. It never fails: text that is no token becomes a
// token of kind kInvalid, which no rule expects. Comments run from "//" to the
// end of the line.
class Lexer {
 public:
  // Borrows `text`, which outlives the lexer.
  explicit Lexer(std::string_view text);

  const Token& token() const { return token_; }
  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool IsSign(char sign) const;
  bool IsWord(std::string_view word) const;
  // Moves on to the next token.
  void Advance();

  // Returns how many types and attributes enclose the token.
  int nesting() const { return nesting_; }
  void SetNesting(int nesting) { nesting_ = nesting; }

  // Move on if the token is this one; return whether it was.
  bool TakeSign(char sign);
  bool TakeWord(std::string_view word);
  // Move on if the token is this one; return InvalidArgumentError otherwise.
  absl::Status ExpectSign(char sign);
  absl::Status ExpectWord(std::string_view word);
  // Returns the token's `string` and moves on; InvalidArgumentError if the
  // token is no string.
  absl::StatusOr<std::string> ExpectString(std::string_view expected);

  // Returns the error "line:column: expected <expected>, found <the token>".
  absl::Status Error(std::string_view expected) const;
  // Returns the error "line:column: <message>", at the token given.
  static absl::Status ErrorAt(const Token& token, std::string_view message);
  // Returns `status` itself if it is OK or ErrorAt() made it, else the error
  // "line:column: <its message>".
  static absl::Status Placed(const Token& token, const absl::Status& status);

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
  int nesting_ = 0;
  Token token_;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_LEXER_H_
